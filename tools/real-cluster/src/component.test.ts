import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Component, type ComponentSpec } from "./component.ts";
import { isAlive } from "./is-alive.ts";
import { openScriptFolder, type ScriptFolder } from "./scripts.fixture.ts";

const { signal } = new AbortController();

/** A component whose program is a shell script that gets its port as first argument. Ready once it has said so. */
async function component(folder: ScriptFolder, script: string, changes: Partial<ComponentSpec> = {}) {
  const path = await folder.add("program", script);
  return new Component({
    name: "etcd",
    path,
    folder: folder.path,
    flags: (port) => [String(port)],
    // A line of its own: "address already in use" says ready, too.
    isReady: async () => (await readFile(join(folder.path, "etcd.log"), "utf8")).split("\n").includes("ready"),
    startTimeoutMs: 10_000,
    ...changes,
  });
}

describe("a component", () => {
  test("is there after start and gone after stop", async () => {
    await using folder = await openScriptFolder();
    const subject = await component(folder, "echo ready; exec sleep 1000");
    await subject.start(signal);
    const pid = subject.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    await subject.stop();
    expect(isAlive(pid)).toBe(false);
    expect(subject.pid).toBeUndefined();
  });

  test("that ends instead of getting ready fails with the end of its log", async () => {
    await using folder = await openScriptFolder();
    const subject = await component(folder, "echo first line; echo 'unknown flag: --x' >&2; exit 3");
    await expect(subject.start(signal)).rejects.toMatchObject({
      reason: "StartFailed",
      message: "etcd did not start: it ended with status 3; the end of its log:\nfirst line\nunknown flag: --x",
    });
  });

  test("that never gets ready is ended when its time is up", async () => {
    await using folder = await openScriptFolder();
    const subject = await component(folder, "echo $$; exec sleep 1000", { startTimeoutMs: 300 });
    await expect(subject.start(signal)).rejects.toThrow("starting etcd timed out after 300 ms");
    expect(isAlive(Number.parseInt(await subject.logs(), 10))).toBe(false);
  });

  test("is ended when the signal fires during its start", async () => {
    await using folder = await openScriptFolder();
    const caller = new AbortController();
    const isReady = async () => {
      caller.abort("enough");
      return false;
    };
    const subject = await component(folder, "exec sleep 1000", { isReady });
    await expect(subject.start(caller.signal)).rejects.toBe("enough");
    expect(subject.pid).toBeUndefined();
  });

  test("takes another port when somebody else was faster", async () => {
    await using folder = await openScriptFolder();
    const script = `
if [ ! -e "$(dirname "$0")/taken" ]; then
  echo "$1" > "$(dirname "$0")/taken"
  echo "listen tcp 127.0.0.1:$1: bind: address already in use"; exit 1
fi
echo ready; exec sleep 1000`;
    const subject = await component(folder, script);
    await subject.start(signal);
    expect(subject.port).not.toBe(Number(await readFile(join(folder.path, "taken"), "utf8")));
    await subject.kill();
  });

  test("keeps its port when it is started again", async () => {
    await using folder = await openScriptFolder();
    // The log goes on: of the second start only a second line tells.
    let starts = 0;
    const isReady = async () => (await readFile(join(folder.path, "etcd.log"), "utf8")).split("ready").length > starts;
    const subject = await component(folder, 'echo "ready on $1"; exec sleep 1000', { isReady });
    starts++;
    await subject.start(signal);
    await subject.kill();
    starts++;
    await subject.start(signal);
    await subject.stop();
    const line = `ready on ${subject.port}\n`;
    expect(await subject.logs()).toBe(line + line);
  });

  test("is killed when it does not end by itself, even while paused", async () => {
    await using folder = await openScriptFolder();
    const subject = await component(folder, "echo ready; exec sleep 1000");
    await subject.start(signal);
    const pid = subject.pid ?? 0;
    subject.pause();
    await subject.kill();
    expect(isAlive(pid)).toBe(false);
  });
});
