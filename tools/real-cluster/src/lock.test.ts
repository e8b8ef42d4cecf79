import { spawnSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deferred } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { openLock } from "./lock.ts";
import { openScriptFolder } from "./scripts.fixture.ts";

const { signal } = new AbortController();
const nobodyWaits = () => expect.unreachable("nobody should have to wait");

test("a lock is gone once released", async () => {
  await using folder = await openScriptFolder();
  {
    await using _lock = await openLock(join(folder.path, "lock"), nobodyWaits, signal);
    expect(await readdir(folder.path)).toEqual(["lock"]);
  }
  expect(await readdir(folder.path)).toEqual([]);
});

test("a second owner waits for the first, and is told whom for", async () => {
  await using folder = await openScriptFolder();
  const path = join(folder.path, "lock");
  const order: string[] = [];
  const first = await openLock(path, nobodyWaits, signal);
  const told = deferred<number>();
  const second = openLock(path, told.resolve, signal).then(async (lock) => {
    order.push("second owns");
    await lock[Symbol.asyncDispose]();
  });
  expect(await told.promise).toBe(process.pid);
  order.push("first lets go");
  await first[Symbol.asyncDispose]();
  await second;
  expect(order).toEqual(["first lets go", "second owns"]);
});

test("the lock of a dead process is taken over", async () => {
  await using folder = await openScriptFolder();
  const path = join(folder.path, "lock");
  const { pid } = spawnSync("true");
  await writeFile(path, `${pid}\n`);
  await using _lock = await openLock(path, nobodyWaits, signal);
  expect(await readdir(folder.path)).toEqual(["lock"]);
});

test("waiting ends when the signal fires", async () => {
  await using folder = await openScriptFolder();
  const path = join(folder.path, "lock");
  await using _lock = await openLock(path, nobodyWaits, signal);
  const impatient = new AbortController();
  await expect(openLock(path, () => impatient.abort("enough"), impatient.signal)).rejects.toBe("enough");
});
