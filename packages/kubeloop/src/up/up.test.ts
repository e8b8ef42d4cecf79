import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deferred, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { namespaces } from "@kubeloop/core/resources";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { up } from "./up.ts";
import type { UpOptions } from "./up-options.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-up-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs it while `work` does, with what it has printed so far. */
async function running(
  options: Partial<UpOptions>,
  work: (printed: readonly string[], signal: AbortSignal) => Promise<void>,
): Promise<readonly string[]> {
  const stop = new AbortController();
  const printed: string[] = [];
  const ready = deferred();
  const print = (text: string) => {
    printed.push(text);
    ready.resolve();
  };
  const all = { port: 0, output: "json", help: false, ...options } as const;
  const ended = up(all, { folder, clock: systemClock, print, complain: print }, stop.signal);
  await Promise.race([ready.promise, ended]);
  await work(printed, stop.signal);
  stop.abort();
  await ended;
  return printed;
}

const ready = (line: string | undefined) => JSON.parse(line ?? "{}") as { server: string; kubeconfig: string };

describe("up", () => {
  test("answers under the address and kubeconfig that its ready line holds", async () => {
    await running({}, async ([line], signal) => {
      const { server, kubeconfig } = ready(line);
      expect(server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      const config = await loadClusterConfig({ path: kubeconfig }, signal);
      expect(config.server).toBe(server);
      await using client = openClient(config);
      const names = [];
      for await (const { metadata } of client.resource(namespaces).list({}, signal)) names.push(metadata.name);
      expect(names).toContain("kube-system");
    });
  });

  test("keeps its kubeconfig to its owner, and takes it away in the end", async () => {
    const path = join(folder, ".kubeloop/kubeconfig");
    await running({}, async () => {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
    await expect(readFile(path)).rejects.toThrow("ENOENT");
  });

  test("tells people what to try", async () => {
    const printed = await running({ output: "text" }, async () => {});
    expect(printed.join("")).toMatch(/server +https:\/\/127\.0\.0\.1:\d+\n +kubeconfig +\.\/\.kubeloop\/kubeconfig\n/);
    expect(printed.join("")).toContain('export KUBECONFIG="$PWD/.kubeloop/kubeconfig"');
  });

  test("a port that is taken is one clear sentence", async () => {
    const taken = createServer();
    const listening = deferred();
    taken.listen(0, "127.0.0.1", () => listening.resolve());
    await listening.promise;
    const { port } = taken.address() as { port: number };
    const fault = new UsageError(
      `up: port ${port} on 127.0.0.1 is taken; choose another with --port, or --port 0 for any that is free`,
    );
    await expect(running({ port }, async () => {})).rejects.toEqual(fault);
    taken.close();
  });
});
