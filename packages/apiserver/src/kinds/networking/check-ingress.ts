// What an ingress asks for: rules by host and path, each to a service or another object, and certificates for hosts.
import {
  type networkingv1,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortName,
  validatePortNumber,
  validateWildcardDns1123Subdomain,
} from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import { parseIp } from "../shared/ip-address.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkTypedReference } from "./typed-reference.ts";

/** What was wrong before may stay so. */
export interface IngressOptions {
  readonly allowsInvalidSecretName?: boolean;
  readonly allowsInvalidWildcardRule?: boolean;
}

const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEnds = ["/..", "/."];
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

export function ingressOptions({ tls = [], rules = [] }: networkingv1.IngressSpec): IngressOptions {
  return {
    allowsInvalidSecretName: tls.some(
      ({ secretName }) => !isAbsent(secretName) && validateDns1123Subdomain(secretName).length > 0,
    ),
    allowsInvalidWildcardRule: rules.some(
      (rule) =>
        rule.host?.includes("*") === true && collectFaults("", (fldPath) => checkPaths(rule, fldPath)).length > 0,
    ),
  };
}

export function checkIngressSpec(
  spec: networkingv1.IngressSpec,
  fldPath: ValidationPath,
  options: IngressOptions = {},
): void {
  const { rules = [], defaultBackend, tls = [], ingressClassName: className } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    fldPath.invalid(spec.rules ?? null, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend !== undefined) checkBackend(defaultBackend, fldPath.at("defaultBackend"));
  for (const [i, rule] of rules.entries()) checkRule(rule, fldPath.at("rules").item(i), options);
  for (const [i, each] of tls.entries()) checkTls(each, fldPath.at("tls").item(i), options);
  if (className !== undefined) {
    fldPath.at("ingressClassName").invalidFor(className, validateDns1123Subdomain(className));
  }
}

function checkRule(rule: networkingv1.IngressRule, fldPath: ValidationPath, options: IngressOptions): void {
  const { host = "" } = rule;
  const isWildcard = host.includes("*");
  if (host !== "") {
    const hostPath = fldPath.at("host");
    if (parseIp(host) !== undefined) hostPath.invalid(host, "must be a DNS name, not an IP address");
    checkHost(host, hostPath);
  }
  if (!isWildcard || options.allowsInvalidWildcardRule !== true) checkPaths(rule, fldPath);
}

function checkHost(host: string, fldPath: ValidationPath): void {
  const validate = host.includes("*") ? validateWildcardDns1123Subdomain : validateDns1123Subdomain;
  fldPath.invalidFor(host, validate(host));
}

function checkPaths({ http }: networkingv1.IngressRule, fldPath: ValidationPath): void {
  if (http === undefined) return;
  const pathsFldPath = fldPath.at("http", "paths");
  // Go prints a list that is not there as null.
  const paths = http.paths ?? [];
  if (paths.length === 0) pathsFldPath.required();
  for (const [i, path] of paths.entries()) checkPath(path, pathsFldPath.item(i));
}

function checkPath({ path = "", pathType, backend }: networkingv1.HTTPIngressPath, fldPath: ValidationPath): void {
  const pathFldPath = fldPath.at("path");
  // It is never empty text, but may be null, as Go prints what is not there.
  switch (pathType ?? undefined) {
    case undefined:
      fldPath.at("pathType").required("pathType must be specified");
      return;
    case "Exact":
    case "Prefix":
      if (!path.startsWith("/")) pathFldPath.invalid(path, "must be an absolute path");
      for (const bad of badSequences) if (path.includes(bad)) pathFldPath.invalid(path, `must not contain '${bad}'`);
      for (const bad of badEnds) if (path.endsWith(bad)) pathFldPath.invalid(path, `cannot end with '${bad}'`);
      break;
    case "ImplementationSpecific":
      if (path !== "" && !path.startsWith("/")) pathFldPath.invalid(path, "must be an absolute path");
      break;
    default:
      fldPath.at("pathType").notSupported(pathType, pathTypes);
  }
  checkBackend(backend, fldPath.at("backend"));
}

function checkBackend({ resource, service }: networkingv1.IngressBackend, fldPath: ValidationPath): void {
  if (resource !== undefined && service !== undefined) {
    fldPath.invalid("", "cannot set both resource and service backends");
  } else if (resource !== undefined) {
    checkTypedReference(resource, fldPath.at("resource"));
  } else if (service !== undefined) {
    checkService(service, fldPath);
  } else {
    fldPath.invalid("", "resource or service backend is required");
  }
}

function checkService({ name, port = {} }: networkingv1.IngressServiceBackend, fldPath: ValidationPath): void {
  const servicePath = fldPath.at("service");
  if (isAbsent(name)) servicePath.at("name").required();
  else servicePath.at("name").invalidFor(name, validateDns1123Label(name));
  const { name: portName = "", number = 0 } = port;
  const portPath = servicePath.at("port");
  if (portName !== "" && number !== 0) fldPath.invalid("", "cannot set both port name & port number");
  else if (portName !== "") portPath.at("name").invalidFor(portName, validatePortName(portName));
  else if (number !== 0) portPath.at("number").invalidFor(number, validatePortNumber(number));
  else fldPath.required("port name or number is required");
}

function checkTls(
  { hosts = [], secretName }: networkingv1.IngressTLS,
  fldPath: ValidationPath,
  options: IngressOptions,
): void {
  for (const [i, host] of hosts.entries()) checkHost(host, fldPath.at("hosts").item(i));
  if (options.allowsInvalidSecretName === true || isAbsent(secretName)) return;
  fldPath.at("secretName").invalidFor(secretName, validateDns1123Subdomain(secretName));
}
