// Validates the user of a kubeconfig before it is used: contradictions, missing fields, removed
// features. Pure; files are not opened. Paths are relative to the user.
import type { FieldFault } from "../credentials/decode-fields.ts";
import { execApiVersions } from "../credentials/exec-credential.ts";
import type { ExecInteractiveMode } from "../credentials/exec-plugin.ts";
import { type Impersonation, validateImpersonation } from "../credentials/impersonation.ts";
import type { KubeconfigExec, KubeconfigUser } from "./kubeconfig.ts";

export function validateUser(user: KubeconfigUser): readonly FieldFault[] {
  return [
    ...validateAuthProvider(user),
    ...validateCertificate(user),
    ...validateMethods(user),
    ...(user.exec === undefined ? [] : validateExec(user.exec)),
    ...validateAs(user),
  ];
}

const replacements: Readonly<Record<string, string>> = {
  gcp: "was removed from Kubernetes; use the exec plugin gke-gcloud-auth-plugin",
  azure: "was removed from Kubernetes; use the exec plugin kubelogin of Azure",
  openstack: "was removed from Kubernetes; use the exec plugin client-keystone-auth",
  oidc: "is not supported; use an exec plugin such as kubectl oidc-login (kubelogin)",
};

function validateAuthProvider(user: KubeconfigUser): readonly FieldFault[] {
  const name = user["auth-provider"]?.name;
  if (name === undefined) return [];
  const advice =
    replacements[name] ?? "is not supported: auth providers were removed from Kubernetes; use an exec plugin";
  return [{ path: "auth-provider", message: `auth provider ${JSON.stringify(name)} ${advice}` }];
}

function validateCertificate(user: KubeconfigUser): readonly FieldFault[] {
  const hasCertificate = user["client-certificate"] !== undefined || user["client-certificate-data"] !== undefined;
  // A key without a certificate has no effect and is ignored.
  if (!hasCertificate) return [];
  const hasKey = user["client-key"] !== undefined || user["client-key-data"] !== undefined;
  return [
    ...oneOf(user, "client-certificate", "client-certificate-data"),
    ...oneOf(user, "client-key", "client-key-data"),
    ...(hasKey ? [] : [{ path: "client-key", message: "required with client-certificate (or client-key-data)" }]),
  ];
}

function oneOf<T>(value: T, file: string & keyof T, text: string & keyof T): readonly FieldFault[] {
  if (value[file] === undefined || value[text] === undefined) return [];
  return [{ path: file, message: `only one of ${file} and ${text} may be given` }];
}

function validateMethods(user: KubeconfigUser): readonly FieldFault[] {
  const tokenField = user.token !== undefined ? "token" : user.tokenFile !== undefined ? "tokenFile" : undefined;
  const isBasic = user.username !== undefined || user.password !== undefined;
  return [
    ...(tokenField !== undefined && isBasic
      ? [{ path: tokenField, message: "a token and username/password may not both be given" }]
      : []),
    ...(user.password !== undefined && user.username === undefined
      ? [{ path: "username", message: "required with password" }]
      : []),
  ];
}

const interactiveModes: readonly ExecInteractiveMode[] = ["Never", "IfAvailable", "Always"];

/** Returns the interactive mode, or its default in v1beta1; undefined if it is required and missing or invalid. */
export function interactiveModeOf(exec: KubeconfigExec): ExecInteractiveMode | undefined {
  if (exec.interactiveMode === undefined && exec.apiVersion?.endsWith("/v1beta1")) return "IfAvailable";
  return interactiveModes.find((mode) => mode === exec.interactiveMode);
}

function validateExec(exec: KubeconfigExec): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  const { command, apiVersion, interactiveMode } = exec;
  if (command === undefined) faults.push({ path: "exec.command", message: "required" });
  if (apiVersion === undefined) faults.push({ path: "exec.apiVersion", message: "required" });
  else if (!execApiVersions.includes(apiVersion)) {
    const message = `${JSON.stringify(apiVersion)} is not supported, only ${execApiVersions.join(" and ")}`;
    faults.push({ path: "exec.apiVersion", message });
  }
  if (interactiveModeOf(exec) === undefined) {
    const wanted = `one of ${interactiveModes.join(", ")}`;
    const message = interactiveMode === undefined ? `required: ${wanted}` : `must be ${wanted}`;
    faults.push({ path: "exec.interactiveMode", message });
  }
  exec.env?.forEach(({ name }, index) => {
    if (name === "") faults.push({ path: `exec.env[${index}].name`, message: "required" });
  });
  return faults;
}

/** Returns the identity that the user impersonates. */
export function impersonationOf(user: KubeconfigUser): Impersonation | undefined {
  const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = user;
  if (as === undefined && uid === undefined && groups === undefined && extra === undefined) return undefined;
  return {
    user: as ?? "",
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function validateAs(user: KubeconfigUser): readonly FieldFault[] {
  const impersonation = impersonationOf(user);
  if (impersonation === undefined) return [];
  if (user.as === undefined) return [{ path: "as", message: "required with as-uid, as-groups or as-user-extra" }];
  return validateImpersonation(impersonation).map((message) => ({ path: "as", message }));
}
