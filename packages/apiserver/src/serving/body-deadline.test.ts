import { PassThrough } from "node:stream";
import { FakeClock, systemClock } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { bodyWithin } from "./body-deadline.ts";

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString("utf8");
  return text;
}

test("a body is read to its end, in however many pieces", async () => {
  const clock = new FakeClock();
  const source = new PassThrough();
  const reading = read(bodyWithin(source, 1_000, clock));
  source.write("a");
  await systemClock.yield();
  source.write("b");
  source.write("c");
  source.end("d");
  expect(await reading).toBe("abcd");
  expect(clock.pending()).toEqual([]);
  expect(source.listenerCount("data")).toBe(0);
});

test("one that has ended before anybody read it is empty", async () => {
  const source = new PassThrough();
  source.end();
  source.resume();
  await new Promise((resolve) => source.once("close", resolve));
  expect(await read(bodyWithin(source, 1_000, new FakeClock()))).toBe("");
});

test("one that does not end in time is refused with 504", async () => {
  const clock = new FakeClock();
  const source = new PassThrough();
  const failing = read(bodyWithin(source, 1_000, clock)).catch((error: unknown) => error);
  source.write("a");
  await clock.advance(999);
  source.write("b");
  await clock.advance(1);
  expect(await failing).toMatchObject({ code: 504 });
  expect(source.destroyed).toBe(false);
  expect(source.listenerCount("data")).toBe(0);
});

test("one that breaks off fails, and says how", async () => {
  const source = new PassThrough();
  const failing = read(bodyWithin(source, 1_000, new FakeClock())).catch((error: unknown) => error);
  source.write("a");
  source.destroy(new Error("reset by peer"));
  expect(await failing).toMatchObject({ message: "reset by peer" });
});

test("one that is closed without a word fails too, also when it was closed before", async () => {
  const source = new PassThrough();
  const body = bodyWithin(source, 1_000, new FakeClock());
  const failing = read(body).catch((error: unknown) => error);
  source.destroy();
  expect(await failing).toMatchObject({ code: "ECONNRESET" });
  expect(await read(body).catch((error: unknown) => error)).toMatchObject({ code: "ECONNRESET" });
});

test("nothing is collected faster than it is read", async () => {
  const source = new PassThrough({ highWaterMark: 10 });
  const iterator = bodyWithin(source, 1_000, new FakeClock())[Symbol.asyncIterator]();
  const first = iterator.next();
  source.write("0123456789");
  expect((await first).value).toEqual(Buffer.from("0123456789"));
  for (let i = 0; i < 10; i++) source.write("0123456789");
  for (let i = 0; i < 20; i++) await systemClock.yield();
  // All but what was handed on in the same breath waits in the stream.
  expect(source.readableLength + source.writableLength).toBeGreaterThanOrEqual(80);
});

test("who stops early leaves the rest to others", async () => {
  const clock = new FakeClock();
  const source = new PassThrough();
  const iterator = bodyWithin(source, 1_000, clock)[Symbol.asyncIterator]();
  const first = iterator.next();
  source.write("a");
  expect((await first).value).toEqual(Buffer.from("a"));
  await iterator.return?.();
  expect(clock.pending()).toEqual([]);
  source.end("rest");
  let rest = "";
  source.on("data", (chunk: Buffer) => {
    rest += chunk.toString("utf8");
  });
  source.resume();
  await new Promise((resolve) => source.once("end", resolve));
  expect(rest).toBe("rest");
});
