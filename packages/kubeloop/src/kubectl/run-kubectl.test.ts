// `kubeloop kubectl` with a program of that name that says what it was given.
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHost } from "@kubeloop/core/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runKubectl } from "./run-kubectl.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-run-kubectl-"));
  await mkdir(join(folder, ".kubeloop"));
  await writeFile(join(folder, ".kubeloop", "kubeconfig"), "");
  const script =
    '#!/bin/sh\necho "$KUBECONFIG $*" > "$SAID"\n[ "$1" = die ] && kill -9 $$\n[ "$1" = stay ] && exec sleep 60\nexit 7\n';
  await writeFile(join(folder, "kubectl"), script);
  await chmod(join(folder, "kubectl"), 0o755);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const said = () => join(folder, "said");
const saidLine = async () => await readFile(said(), "utf8");
const hostIn = (cwd: string, env: Record<string, string> = {}) => ({
  ...nodeHost,
  env: { PATH: `${folder}:/usr/bin:/bin`, SAID: said(), ...env },
  cwd: () => cwd,
});
const never = new AbortController().signal;

describe("kubectl gets the arguments and the kubeconfig that the other commands would take", () => {
  for (const [args, environment, isOwn] of [
    [["get", "pods"], "", true],
    [["get", "pods"], "theirs", false],
    [["get", "--kubeconfig", "x"], "theirs", false],
    [["exec", "web", "--", "get", "--kubeconfig", "x"], "", true],
    [["get", "--kubeconfig="], "", true],
  ] as const) {
    test(`${args.join(" ")} with KUBECONFIG=${environment}`, async () => {
      expect(await runKubectl(args, never, hostIn(folder, { KUBECONFIG: environment }))).toBe(7);
      const own = join(folder, ".kubeloop", "kubeconfig");
      const said = (await saidLine()).replace(/ .*/s, "");
      if (isOwn) expect(said).toBe(own);
      else expect(said).not.toBe(own);
      expect(await saidLine()).toContain(` ${args.join(" ")}\n`);
    });
  }

  test("where there is none it is left to kubectl", async () => {
    expect(await runKubectl(["get"], never, hostIn(join(folder, ".kubeloop")))).toBe(7);
    expect(await saidLine()).toBe(" get\n");
  });
});

test("a kubectl that a signal ended exits as shells say it", async () => {
  expect(await runKubectl(["die"], never, hostIn(folder))).toBe(128 + 9);
});

test("a signal reaches kubectl", async () => {
  const stop = new AbortController();
  await rm(said(), { force: true });
  const running = runKubectl(["stay"], stop.signal, hostIn(folder));
  await expect.poll(async () => await readFile(said(), "utf8").catch(() => "")).toContain("stay\n");
  stop.abort(new Error("SIGTERM"));
  expect(await running).toBe(128 + 15);
});

test("without a kubectl one sentence says how to get one", async () => {
  await expect(runKubectl(["get"], never, hostIn(folder, { PATH: join(folder, "nowhere") }))).rejects.toThrow(
    /^kubectl: there is no kubectl on PATH; https:\/\/kubernetes\.io\/docs\/tasks\/tools\/ says how to get one/,
  );
});
