// CSINode: which drivers a node has, and under which name each of them knows it.
import { type storagev1, validateQualifiedName } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { csiNodes } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkNonNegative, isAbsent } from "../shared/checks.ts";
import { checkDriverName } from "../shared/driver-names.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

type Driver = storagev1.CSINodeDriver;

const longestNodeId = 256;

export const csiNodeRules: KindRules<storagev1.CSINode> = {
  resource: csiNodes,
  metadataOnUpdate: ["whole"],
  needsVersionOnUpdate: true,
  deletion: { answersWithObject: true },
  validate: ({ spec }) => collectFaults("spec", (fldPath) => checkDrivers(spec.drivers ?? [], fldPath.at("drivers"))),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) => {
      const drivers = spec.drivers ?? [];
      checkDrivers(drivers, fldPath.at("drivers"));
      checkUnchanged(drivers, old.spec.drivers ?? [], fldPath.at("drivers"));
    }),
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    (spec.drivers ?? []).length,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkDrivers(drivers: readonly Driver[], fldPath: ValidationPath): void {
  const names = new Set<string>();
  for (const [i, driver] of drivers.entries()) {
    const driverPath = fldPath.item(i);
    checkDriverName(driver.name, driverPath.at("name"));
    checkNodeId(driver.nodeID, driverPath.at("nodeID"));
    checkNonNegative(driver.allocatable?.count, driverPath.at("allocatable", "count"));
    if (names.has(driver.name)) driverPath.at("name").duplicate(driver.name);
    names.add(driver.name);
    checkTopologyKeys(driver.topologyKeys ?? [], driverPath);
  }
}

function checkNodeId(id: string, fldPath: ValidationPath): void {
  if (isAbsent(id)) fldPath.required();
  else if (Buffer.byteLength(id) > longestNodeId) fldPath.invalid(id, `must be ${longestNodeId} characters or less`);
}

function checkTopologyKeys(keys: readonly string[], fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (key === "") fldPath.required();
    if (seen.has(key)) fldPath.duplicate(key);
    seen.add(key);
    fldPath.invalidFor(key, validateQualifiedName(key));
  }
}

/** A driver that stays may only tell how many more volumes it takes. */
function checkUnchanged(drivers: readonly Driver[], old: readonly Driver[], fldPath: ValidationPath): void {
  const byName = new Map<string, Driver[]>();
  for (const driver of drivers) {
    const same = byName.get(driver.name);
    if (same === undefined) byName.set(driver.name, [driver]);
    else same.push(driver);
  }
  for (const before of old) {
    for (const driver of byName.get(before.name) ?? []) {
      const { allocatable: _now, ...rest } = driver;
      const { allocatable: _then, ...oldRest } = before;
      if (!deepEqual(rest, oldRest)) fldPath.invalid(internalDriver(driver), "field is immutable");
    }
  }
}

const internalDriver = ({ name, nodeID, topologyKeys }: Driver) => ({
  Name: name,
  NodeID: nodeID,
  TopologyKeys: topologyKeys ?? null,
  Allocatable: null,
});
