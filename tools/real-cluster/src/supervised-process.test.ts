import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, timeoutSignal } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { isAlive } from "./is-alive.ts";
import { openScriptFolder } from "./scripts.fixture.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { untilTrue } from "./wait.ts";

test("what a program has started itself ends with it, even when it is killed", async () => {
  await using scripts = await openScriptFolder();
  const path = await scripts.add("parent", "sleep 1000 &\necho $!\nwait");
  const logPath = join(scripts.path, "log");
  const started = await SupervisedProcess.start({
    path,
    flags: [],
    logPath,
    folder: scripts.path,
    throwAwayFolder: join(scripts.path, "nothing"),
  });
  using patience = timeoutSignal(new AbortController().signal, 20_000, { clock: systemClock, what: "the child" });
  const child = async () => Number.parseInt(await readFile(logPath, "utf8"), 10);
  await untilTrue(async () => !Number.isNaN(await child()), 10, patience.signal);
  const pid = await child();
  expect(isAlive(pid)).toBe(true);
  await started.kill();
  await untilTrue(async () => !isAlive(pid), 10, patience.signal);
});
