import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BinariesMissingError, findBinaries } from "./binaries.ts";
import { openScriptFolder } from "./scripts.fixture.ts";

const { signal } = new AbortController();
const server = (version: string) => `echo "Kubernetes v${version}"`;

/** A search in two folders, with an empty cache and, unless a test adds it to PATH, no Go. */
async function openSearch() {
  const assets = await openScriptFolder();
  const onPath = await openScriptFolder();
  const said: string[] = [];
  const env = { KUBEBUILDER_ASSETS: assets.path, PATH: onPath.path, KUBELOOP_CACHE: join(assets.path, "cache") };
  return {
    assets,
    onPath,
    said,
    find: (options: { mayBuild?: boolean; env?: NodeJS.ProcessEnv } = {}) =>
      findBinaries(["kube-apiserver"], { say: (sentence) => said.push(sentence), env, ...options }, signal),
    env,
    async [Symbol.asyncDispose]() {
      await assets[Symbol.asyncDispose]();
      await onPath[Symbol.asyncDispose]();
    },
  };
}

describe("findBinaries", () => {
  test("prefers KUBEBUILDER_ASSETS to PATH", async () => {
    await using search = await openSearch();
    const path = await search.assets.add("kube-apiserver", server("1.36.0"));
    await search.onPath.add("kube-apiserver", server("1.36.4"));
    expect((await search.find()).get("kube-apiserver")).toBe(path);
    expect(search.said).toEqual([`kube-apiserver found at ${path}`]);
  });

  test("passes a wrong version over, says so, and goes on to the next source", async () => {
    await using search = await openSearch();
    const wrong = await search.assets.add("kube-apiserver", server("1.35.1"));
    const right = await search.onPath.add("kube-apiserver", server("1.36.4"));
    expect((await search.find()).get("kube-apiserver")).toBe(right);
    expect(search.said).toEqual([`${wrong} is 1.35.1, not 1.36: passed over`, `kube-apiserver found at ${right}`]);
  });

  test("does not trust a program that will not tell its version", async () => {
    await using search = await openSearch();
    const mute = await search.assets.add("kube-apiserver", "exit 1");
    await expect(search.find()).rejects.toThrow(`${mute} is of an unknown version, not 1.36: passed over`);
  });

  test("says that there is no Go when nothing is found and nothing can be built", async () => {
    await using search = await openSearch();
    const error: unknown = await search.find({ mayBuild: true }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BinariesMissingError);
    expect(error).toMatchObject({ hasGo: false, message: expect.stringContaining("Go is not installed") });
  });

  test("does not build unless allowed to, and names the command that does", async () => {
    await using search = await openSearch();
    await search.onPath.add("go", "echo go version go1.26.8");
    await expect(search.find()).rejects.toMatchObject({
      hasGo: true,
      message: expect.stringContaining("npm run test:kubernetes"),
    });
  });

  for (const [name, variables, expected] of [
    ["knows that somebody pointed to programs", { KUBEBUILDER_ASSETS: "/nowhere" }, true],
    ["knows that nobody did", { KUBEBUILDER_ASSETS: "" }, false],
  ] as const) {
    test(name, async () => {
      await using search = await openSearch();
      await expect(search.find({ env: { ...search.env, ...variables } })).rejects.toMatchObject({
        isAnythingThere: expected,
      });
    });
  }
});
