// The documents' snippets that need a real cluster: each exports functions of a signal and, where they want one, the
// cluster's address, which are called here. That they compile is checked with all others, in documents.test.ts. Parts of files are run by
// the tests of those files.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClusterConfig, clusterConfig, inlineCaBundle, tokenCredentials } from "@kubeloop/core/client";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeBlocks } from "./documents.ts";
import { readFiles, repositoryRoot } from "./repository.ts";

type Snippet = (signal: AbortSignal, config: ClusterConfig) => unknown;

const signal = new AbortController().signal;
let cluster: RealCluster;

beforeAll(async () => {
  cluster = await RealCluster.start({}, signal);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const snippets = readFiles(["docs/real-cluster.md", "docs/client.md"])
  .flatMap(codeBlocks)
  .filter((block) => block.language === "ts" && block.from === undefined);

test("there are some", () => expect(snippets.length).toBeGreaterThan(2));

for (const block of snippets) {
  test(`${block.path}:${block.line} works against a real cluster`, async () => {
    const folder = join(repositoryRoot, ".cache/kubernetes-snippets");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${block.path.replaceAll(/[^\w]+/g, "-")}-${block.line}.ts`);
    writeFileSync(file, block.text);
    const exported = Object.values((await import(/* @vite-ignore */ file)) as Record<string, Snippet>);
    expect(exported.length).toBeGreaterThan(0);
    const config = clusterConfig({
      server: cluster.url,
      tls: { ca: inlineCaBundle(cluster.caPem), isVerified: true },
      credentials: tokenCredentials(cluster.adminToken),
    });
    for (const run of exported) expect(await run(signal, config)).toBeTruthy();
  });
}
