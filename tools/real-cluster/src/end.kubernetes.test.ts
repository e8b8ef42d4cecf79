// How a cluster ends: in order, or with the process that started it.
import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { createInterface } from "node:readline";
import { systemClock, timeoutSignal } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { isAlive } from "./is-alive.ts";
import { RealCluster } from "./real-cluster.ts";
import { untilTrue } from "./wait.ts";

// The built package, because a plain Node process has to load it.
const built = new URL("../dist/index.js", import.meta.url);
const script = `
import { RealCluster } from ${JSON.stringify(built.href)};
const { pids, folder } = await RealCluster.start();
console.log(JSON.stringify({ pids, folder }));`;

test("a cluster that is disposed of leaves neither processes nor folder", async () => {
  const cluster = await RealCluster.start();
  const { folder, pids } = cluster;
  expect(pids.map(isAlive)).toEqual([true, true]);
  cluster.pause("etcd"); // not even a frozen component is left
  await cluster[Symbol.asyncDispose]();
  expect(pids.map(isAlive)).toEqual([false, false]);
  expect(await isGone(folder)).toBe(true);
});

test("a process killed hard leaves neither processes nor folder", async () => {
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line = "no line"] = await firstLine(parent.stdout);
  const { pids, folder } = JSON.parse(line) as { pids: number[]; folder: string };
  expect(pids.map(isAlive)).toEqual([true, true]);
  parent.kill("SIGKILL");

  using patience = timeoutSignal(new AbortController().signal, 20_000, { clock: systemClock, what: "the clean-up" });
  await untilTrue(async () => !pids.some(isAlive) && (await isGone(folder)), 50, patience.signal);
});

async function firstLine(stream: NodeJS.ReadableStream): Promise<readonly string[]> {
  for await (const line of createInterface({ input: stream })) return [line];
  return [];
}

const isGone = (path: string): Promise<boolean> =>
  access(path).then(
    () => false,
    () => true,
  );
