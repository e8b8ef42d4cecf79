// ConfigMap: text and bytes under keys that can be file names; no more than a megabyte, and unchangeable once it says so.
import { type corev1, validateConfigMapKey } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { configMaps } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { totalSize } from "../shared/binary-size.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { printAge } from "../shared/print-age.ts";

/** Of Secrets too. */
export const maxDataBytes = 1024 * 1024;
export const immutableWhenSet = "field is immutable when `immutable` is set";

export const configMapRules: KindRules<corev1.ConfigMap> = {
  resource: configMaps,
  metadataOnUpdate: ["changes", "whole"],
  validate: (map) => collectObjectFaults((at) => checkConfigMap(map, at)),
  validateUpdate: (map, old) =>
    collectObjectFaults((at) => {
      if (old.immutable === true) checkUnchanged(map, old, at);
      checkConfigMap(map, at);
    }),
  printRow: ({ metadata, data = {}, binaryData = {} }, { nowMs }) => [
    metadata.name,
    Object.keys(data).length + Object.keys(binaryData).length,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkConfigMap({ data = {}, binaryData = {} }: corev1.ConfigMap, at: ObjectPaths): void {
  for (const key of Object.keys(data)) {
    const fldPath = at("data").item(key);
    fldPath.invalidFor(key, validateConfigMapKey(key));
    if (Object.hasOwn(binaryData, key)) fldPath.invalid(key, "duplicate of key present in binaryData");
  }
  for (const key of Object.keys(binaryData)) {
    at("binaryData").item(key).invalidFor(key, validateConfigMapKey(key));
  }
  // The object as a whole is too long: a path without a name.
  if (totalSize(data, Buffer.byteLength) + totalSize(binaryData) > maxDataBytes) at("").tooLong(maxDataBytes);
}

function checkUnchanged(map: corev1.ConfigMap, old: corev1.ConfigMap, at: ObjectPaths): void {
  if (map.immutable !== true) at("immutable").forbidden(immutableWhenSet);
  for (const part of ["data", "binaryData"] as const) {
    if (!deepEqual(map[part], old[part])) at(part).forbidden(immutableWhenSet);
  }
}
