import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { build, buildFolder, cacheFolder, isBuilt } from "./build.ts";
import type { Bundle } from "./bundles.ts";
import { openScriptFolder } from "./scripts.fixture.ts";

const { signal } = new AbortController();
const pinned = { kubernetes: "1.36.4", etcd: "3.6.8", oldKubectl: "1.29.15" };
// Stands in for Go: writes down how it was called, and creates what `-o` names.
const fakeGo = (folder: string) => `
echo "$CGO_ENABLED $*" >> ${folder}/calls
while [ "$1" != "-o" ]; do shift; done
case "$2" in */) touch "$2/kube-apiserver" ;; *) touch "$2" ;; esac`;

async function openBuild(goScript?: (folder: string) => string, bundle: Bundle = "cluster") {
  const tools = await openScriptFolder();
  await tools.add("go", (goScript ?? fakeGo)(tools.path));
  const env = { PATH: `${tools.path}:${process.env["PATH"]}`, KUBELOOP_CACHE: join(tools.path, "cache") };
  const folder = await buildFolder(bundle, pinned, env);
  const said: string[] = [];
  return {
    folder,
    said,
    run: (s = signal) => build(folder, { bundle, pinned, env, say: (sentence) => said.push(sentence) }, s),
    calls: async () => (await readFile(join(tools.path, "calls"), "utf8")).trim().split("\n"),
    left: () => readdir(cacheFolder(env)),
    [Symbol.asyncDispose]: () => tools[Symbol.asyncDispose](),
  };
}

describe("cacheFolder", () => {
  for (const [name, env, expected] of [
    ["is where KUBELOOP_CACHE says", { KUBELOOP_CACHE: "/a", XDG_CACHE_HOME: "/b" }, "/a/real-cluster"],
    ["is in the user's cache otherwise", { XDG_CACHE_HOME: "/b" }, "/b/kubeloop/real-cluster"],
  ] as const) {
    test(name, () => expect(cacheFolder(env)).toBe(expected));
  }
});

describe("buildFolder", () => {
  test("has another name when what is built changes", async () => {
    const env = { KUBELOOP_CACHE: "/a" };
    const built = await buildFolder("cluster", pinned, env);
    expect(await buildFolder("cluster", pinned, env)).toBe(built);
    expect(await buildFolder("cluster", { ...pinned, kubernetes: "1.36.5" }, env)).not.toBe(built);
  });

  test("of the cluster keeps its name when a foreign client changes", async () => {
    const env = { KUBELOOP_CACHE: "/a" };
    const built = await buildFolder("cluster", pinned, env);
    expect(await buildFolder("cluster", { ...pinned, oldKubectl: "1.29.14" }, env)).toBe(built);
    expect(await buildFolder("kubectl-1.29", pinned, env)).not.toBe(built);
  });
});

describe("build", () => {
  test("stamps the version and needs no C compiler", async () => {
    await using job = await openBuild();
    await job.run();
    const [etcd, kubernetes] = await job.calls();
    expect(etcd).toMatch(
      /^0 build -trimpath -buildvcs=false -ldflags=-s -w -o \S+\/etcd go\.etcd\.io\/etcd\/server\/v3$/,
    );
    expect(kubernetes).toContain("-X k8s.io/component-base/version.gitVersion=v1.36.4");
    expect(kubernetes).toContain("-X k8s.io/component-base/version.gitMinor=36");
    expect(await isBuilt(job.folder)).toBe(true);
  });

  test("makes the old kubectl from its own manifest, under its own name and version", async () => {
    await using job = await openBuild(undefined, "kubectl-1.29");
    await job.run();
    const calls = await job.calls();
    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain("-X k8s.io/client-go/pkg/version.gitVersion=v1.29.15");
    expect(calls[0]).toMatch(/-o \S+\/kubectl-1\.29 k8s\.io\/kubernetes\/cmd\/kubectl$/);
    expect(job.said).toEqual([expect.stringContaining("building kubectl 1.29.15")]);
  });

  test("makes the conformance suite of its tests, stamped, and ginkgo beside it", async () => {
    await using job = await openBuild(undefined, "e2e");
    await job.run();
    const [suite, ginkgo] = await job.calls();
    expect(suite).toMatch(/^0 test -c .*-X k8s.io\/component-base\/version.gitVersion=v1\.36\.4/);
    expect(suite).toMatch(/-o \S+\/e2e\.test k8s\.io\/kubernetes\/test\/e2e$/);
    expect(ginkgo).toMatch(/^0 build .*-o \S+\/ginkgo github\.com\/onsi\/ginkgo\/v2\/ginkgo$/);
  });

  test("builds once when two ask at the same time", async () => {
    await using job = await openBuild();
    await Promise.all([job.run(), job.run()]);
    expect(await job.calls()).toHaveLength(2); // etcd and Kubernetes, once each
    expect(job.said.filter((sentence) => sentence.startsWith("building"))).toHaveLength(1);
  });

  test("leaves nothing behind but the finished folder", async () => {
    await using job = await openBuild();
    await job.run();
    expect(await job.left()).toEqual([job.folder.split("/").at(-1)]);
  });

  test("hands on what Go said when it fails, and leaves nothing", async () => {
    await using job = await openBuild(() => "echo 'go: requires go >= 1.26' >&2; exit 1");
    await expect(job.run()).rejects.toMatchObject({
      reason: "BuildFailed",
      message: expect.stringContaining("go: requires go >= 1.26"),
    });
    expect(await job.left()).toEqual([]);
  });
});
