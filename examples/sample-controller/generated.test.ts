// The generated code of the examples is what `kubeloop generate` makes of the CRDs beside it: run vitest with `-u` after changing one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generateCommand, nodeWorld } from "../../packages/kubeloop/src/generate/index.ts";

for (const [crdFile, generated] of [
  ["foo-crd.yaml", "generated/samplecontroller.k8s.io/v1alpha1/foo.ts"],
  ["../website-operator/website-crd.yaml", "../website-operator/generated/web.example.com/v1/website.ts"],
] as const) {
  test(`${generated}: types, resource, informer and lister are up to date`, async () => {
    const crd = join(import.meta.dirname, crdFile);
    expect(readFileSync(crd, "utf8")).toContain("kind: CustomResourceDefinition");
    const text = await generateCommand(["--crd", crd, "--out", "-"], nodeWorld, new AbortController().signal);
    await expect(text).toMatchFileSnapshot(generated);
  });
}
