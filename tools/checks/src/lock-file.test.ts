import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { completeLock, type LockFile, missingFromLock, platformOf } from "./lock-file.ts";
import { listFiles, repositoryRoot } from "./repository.ts";

describe("the lock files of this repository", () => {
  for (const path of listFiles("package-lock.json")) {
    const text = readFileSync(join(repositoryRoot, path), "utf8");
    test(`${path} names the binaries of every platform (npm run lock)`, () => {
      expect(missingFromLock(JSON.parse(text) as LockFile)).toEqual([]);
    });
    test(`${path} holds no download addresses`, () => expect(text).not.toMatch(/"resolved": "http/));
  }
});

describe("platforms by name", () => {
  for (const [name, expected] of [
    ["@biomejs/cli-darwin-arm64", { os: ["darwin"], cpu: ["arm64"] }],
    ["@biomejs/cli-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
    ["@rolldown/binding-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"], libc: ["glibc"] }],
    ["@rolldown/binding-android-arm-eabi", { os: ["android"], cpu: ["arm"] }],
    ["@rolldown/binding-win32-x64-msvc", { os: ["win32"], cpu: ["x64"] }],
    ["@rolldown/binding-wasm32-wasi", { cpu: ["wasm32"] }],
  ] as const) {
    test(name, () => expect(platformOf(name)).toEqual(expected));
  }

  test("a name that tells nothing is an error", () => expect(() => platformOf("left-pad")).toThrow("its platform"));
});

test("completing adds what is missing and nothing else", () => {
  const lock: LockFile = {
    packages: {
      "node_modules/a": {
        version: "1.0.0",
        dev: true,
        optionalDependencies: { "a-linux-x64": "1.0.0", "a-win32-x64": "1.0.0" },
      },
      "node_modules/a-linux-x64": { version: "1.0.0" },
    },
  };
  expect(missingFromLock(lock)).toEqual(["node_modules/a: a-win32-x64@1.0.0"]);
  const completed = completeLock(lock);
  expect(missingFromLock(completed)).toEqual([]);
  expect(completed.packages["node_modules/a-win32-x64"]).toEqual({
    version: "1.0.0",
    cpu: ["x64"],
    os: ["win32"],
    dev: true,
    optional: true,
  });
  expect(completeLock(completed)).toEqual(completed);
});
