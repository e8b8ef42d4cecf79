import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { outliveReaders } from "./closed-pipes.ts";

function open() {
  const stop = new AbortController();
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  outliveReaders(streams, stop);
  return { ...streams, stop };
}

const failure = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ["standard output ends the command", "stdout", true],
  ["standard error changes nothing", "stderr", false],
] as const)("a reader of %s when it leaves", (_, name, isStopped) => {
  const opened = open();
  opened[name].emit("error", failure("EPIPE"));
  expect(opened.stop.signal.aborted).toBe(isStopped);
});

test.each(["stdout", "stderr"] as const)("another failure of %s is thrown", (name) => {
  const opened = open();
  expect(() => opened[name].emit("error", failure("EIO"))).toThrow("EIO");
  expect(opened.stop.signal.aborted).toBe(false);
});
