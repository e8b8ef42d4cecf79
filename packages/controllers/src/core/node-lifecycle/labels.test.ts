import { newNode, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { withBetaLabels } from "./labels.ts";

type Labels = Readonly<Record<string, string>>;
const [os, arch, betaOs, betaArch] = [
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
];

test.each<[string, Labels | undefined, Labels | undefined]>([
  ["a node without labels stays as it is", undefined, undefined],
  ["a node with others stays as it is", { a: "b" }, undefined],
  ["both beta labels are made", { [os]: "linux", [arch]: "amd64" }, { [betaOs]: "linux", [betaArch]: "amd64" }],
  ["one that differs follows", { [os]: "linux", [betaOs]: "windows" }, { [betaOs]: "linux" }],
  ["one that is the same stays", { [os]: "linux", [betaOs]: "linux" }, undefined],
  ["one without a stable label stays", { [betaOs]: "windows" }, undefined],
  ["an empty value is a value", { [arch]: "" }, { [betaArch]: "" }],
  ["each for itself", { [os]: "linux", [betaOs]: "linux", [arch]: "arm64", a: "b" }, { [betaArch]: "arm64" }],
])("%s", (_fact, labels, added) => {
  const node = stored(newNode("n", labels === undefined ? {} : { metadata: { labels } }));
  const after = withBetaLabels(node);
  if (added === undefined) expect(after).toBe(node);
  else expect(after.metadata.labels).toEqual({ ...labels, ...added });
});
