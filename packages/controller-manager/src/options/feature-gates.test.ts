import { expect, test } from "vitest";
import { readFeatureGates } from "./feature-gates.ts";
import { gateOptions, parseOptions } from "./index.ts";

const isEnabled = (gate: string, ...args: readonly string[]) =>
  readFeatureGates(gateOptions(parseOptions(args))).gates.isEnabled(gate);

test("as another version, gates have that version's defaults", () => {
  const gate = "DeploymentReplicaSetTerminatingReplicas";
  expect(isEnabled(gate)).toBe(true);
  expect(isEnabled(gate, "--emulated-version=1.35")).toBe(true);
  expect(isEnabled(gate, "--emulated-version=kube=1.34")).toBe(false);
  expect(isEnabled(gate, "--emulated-version=1.34", `--feature-gates=${gate}=true`)).toBe(true);
});
