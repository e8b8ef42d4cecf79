// Secret: bytes under keys that can be file names, of a type that says which keys there must be. `stringData` is another way of
// saying `data`, and gone once it was read.
import { type corev1, validateConfigMapKey } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { secrets } from "@kubeloop/core/resources";
import { notAMap } from "../../go-prose/go-values.ts";
import { findJsonFault } from "../../go-prose/json-syntax.ts";
import type { Draft, KindRules } from "../kind-rules.ts";
import { binarySize, totalSize } from "../shared/binary-size.ts";
import { isAbsent } from "../shared/checks.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { unsupportedField } from "../shared/unsupported-field.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { immutableWhenSet, maxDataBytes } from "./config-map.ts";
import { keyPairFault } from "./key-pair.ts";

type Bytes = Readonly<Record<string, string>>;

const accountName = "kubernetes.io/service-account.name";

/** What each type asks for beside well-formed keys. */
const typeChecks: Readonly<Record<string, (secret: corev1.Secret, at: ObjectPaths) => void>> = {
  "kubernetes.io/service-account-token": ({ metadata }, at) => {
    if (isAbsent(metadata.annotations?.[accountName])) at("metadata").at("annotations").item(accountName).required();
  },
  "kubernetes.io/dockercfg": ({ data = {} }, at) => checkJson(data[".dockercfg"], at("data").item(".dockercfg")),
  "kubernetes.io/dockerconfigjson": ({ data = {} }, at) =>
    checkJson(data[".dockerconfigjson"], at("data").item(".dockerconfigjson")),
  "kubernetes.io/basic-auth": ({ data = {} }, at) => {
    if (Object.hasOwn(data, "username") || Object.hasOwn(data, "password")) return;
    for (const key of ["username", "password"]) at("data").item(key).required();
  },
  "kubernetes.io/ssh-auth": ({ data = {} }, at) => {
    if (isAbsent(data["ssh-privatekey"])) at("data").item("ssh-privatekey").required();
  },
  "kubernetes.io/tls": ({ data = {} }, at) => {
    for (const key of ["tls.crt", "tls.key"]) if (!Object.hasOwn(data, key)) at("data").item(key).required();
  },
};

export const secretRules: KindRules<corev1.Secret> = {
  resource: secrets,
  metadataOnUpdate: ["changes", "whole"],
  defaults(draft) {
    if (isAbsent(draft.type)) draft.type = "Opaque";
    takeInText(draft);
  },
  validate: (secret) => collectObjectFaults((at) => checkSecret(secret, at)),
  validateUpdate: (secret, old) =>
    collectObjectFaults((at) => {
      checkImmutable(secret.type, old.type, at("type"));
      if (old.immutable === true) {
        if (secret.immutable !== true) at("immutable").forbidden(immutableWhenSet);
        if (!deepEqual(secret.data, old.data)) at("data").forbidden(immutableWhenSet);
      }
      checkSecret(secret, at);
    }),
  warnings({ type, data = {} }) {
    if (type !== "kubernetes.io/tls") return [];
    const fault = keyPairFault(textOf(data["tls.crt"]), textOf(data["tls.key"]));
    return fault === undefined ? [] : [fault];
  },
  selectableFields: {
    names: ["type"],
    valuesOf: ({ type = "" }) => ({ type }),
    unknownText: unsupportedField,
  },
  printRow: ({ metadata, type, data = {} }, { nowMs }) => [
    metadata.name,
    type,
    Object.keys(data).length,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function takeInText(draft: Draft<corev1.Secret>): void {
  const { stringData } = draft;
  if (stringData === undefined) return;
  delete draft.stringData;
  for (const [key, text] of Object.entries(stringData)) {
    draft.data ??= {};
    draft.data[key] = Buffer.from(text, "utf8").toString("base64");
  }
}

function checkSecret(secret: corev1.Secret, at: ObjectPaths): void {
  const { data = {}, type = "" } = secret;
  for (const key of Object.keys(data)) at("data").item(key).invalidFor(key, validateConfigMapKey(key));
  if (totalSize(data, binarySize) > maxDataBytes) at("data").tooLong(maxDataBytes);
  own(typeChecks, type)?.(secret, at);
}

/** An object of JSON, which must be there. What is wrong with it is reported; what it holds is not. */
function checkJson(base64: Bytes[string] | undefined, fldPath: ValidationPath): void {
  if (base64 === undefined) {
    fldPath.required();
    return;
  }
  const fault = jsonObjectFault(Buffer.from(base64, "base64"));
  if (fault !== undefined) fldPath.invalid("<secret contents redacted>", fault);
}

function jsonObjectFault(bytes: Buffer): string | undefined {
  const fault = findJsonFault(bytes);
  if (fault !== undefined) return fault;
  const value: unknown = JSON.parse(bytes.toString("utf8"));
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
  return notAMap(value);
}

const textOf = (base64 = "") => Buffer.from(base64, "base64").toString("latin1");
