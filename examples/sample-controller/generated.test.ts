// The generated code is what `kubeloop generate` makes of the CRD beside it: run vitest with `-u` after changing that.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generateCommand, nodeWorld } from "../../packages/kubeloop/src/generate/index.ts";

test("the types, resource, informer and lister of Foo are up to date", async () => {
  const crd = join(import.meta.dirname, "foo-crd.yaml");
  expect(readFileSync(crd, "utf8")).toContain("kind: CustomResourceDefinition");
  const text = await generateCommand(["--crd", crd, "--out", "-"], nodeWorld, new AbortController().signal);
  await expect(text).toMatchFileSnapshot("generated/samplecontroller.k8s.io/v1alpha1/foo.ts");
});
