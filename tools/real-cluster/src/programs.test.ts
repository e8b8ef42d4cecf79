import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { manifests, parseVersion, readPinnedVersions, requiredVersion, wantedSeries } from "./programs.ts";

describe("parseVersion", () => {
  for (const [name, output, expected] of [
    ["reads a Kubernetes component", "Kubernetes v1.36.4\n", "1.36.4"],
    ["reads etcd", "etcd Version: 3.6.8\nGit SHA: Not provided\n", "3.6.8"],
    ["reads kubectl", "Client Version: v1.36.4\nKustomize Version: v5.8.0\n", "1.36.4"],
    ["keeps what follows the number", "Client Version: v1.32.4-dispatcher\n", "1.32.4-dispatcher"],
    ["knows nothing of other programs", "hello 1.36.4\n", undefined],
  ] as const) {
    test(name, () => expect(parseVersion(output)).toBe(expected));
  }
});

describe("requiredVersion", () => {
  const goMod = "module x\n\nrequire a.b/c v1.2.3\n\nrequire (\n\td.e/f v0.4.0 // indirect\n)\n";
  for (const [name, module, expected] of [
    ["reads a single requirement", "a.b/c", "1.2.3"],
    ["reads one of a block", "d.e/f", "0.4.0"],
  ] as const) {
    test(name, () => expect(requiredVersion(goMod, module)).toBe(expected));
  }
  test("refuses a manifest without the module", () => {
    expect(() => requiredVersion(goMod, "g.h/i")).toThrow("the manifest requires no version of g.h/i");
  });
});

test("the conformance suite is of the cluster's own version", async () => {
  const goMod = await readFile(new URL("go.mod", manifests.e2e), "utf8");
  expect(requiredVersion(goMod, "k8s.io/kubernetes")).toBe((await readPinnedVersions()).kubernetes);
});

test("the manifests pin Kubernetes 1.36, and kubectl 1.29 beside it", async () => {
  const pinned = await readPinnedVersions();
  expect(wantedSeries("kube-apiserver", pinned)).toBe("1.36");
  expect(wantedSeries("kubectl", pinned)).toBe("1.36");
  expect(wantedSeries("etcd", pinned)).toBe("3.6");
  expect(wantedSeries("kubectl-1.29", pinned)).toBe("1.29");
});
