import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { Channel } from "./channel.ts";
import { systemClock } from "./clock.ts";

const never = new AbortController().signal;

/** Whether the promise has settled once everything that can run has run. */
async function hasSettled(work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  work.then(settle, settle);
  await systemClock.yield();
  return settled;
}

describe("back-pressure", () => {
  test("send waits while the channel is full and goes on when the reader takes one", async () => {
    const channel = new Channel<number>(2);
    await channel.send(1, never);
    await channel.send(2, never);
    const third = channel.send(3, never);
    expect(await hasSettled(third)).toBe(false);
    expect(channel.size).toBe(2);
    expect(await channel.receive(never)).toEqual({ value: 1 });
    await third;
    expect(channel.size).toBe(2);
  });

  test("those who wait go in order, and trySend does not jump the queue", async () => {
    const channel = new Channel<string>(1);
    channel.trySend("a");
    const sends = ["b", "c", "d"].map((value) => channel.send(value, never));
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      seen.push((await channel.receive(never))?.value ?? "end");
      expect(channel.trySend("pushy")).toBe(i >= 3);
      await systemClock.yield();
    }
    await Promise.all(sends);
    expect(seen).toEqual(["a", "b", "c", "d"]);
  });

  test("a sender that gives up passes its turn on, and its value was not sent", async () => {
    const channel = new Channel<string>(1);
    channel.trySend("a");
    const controller = new AbortController();
    const quitter = channel.send("never seen", controller.signal);
    const patient = channel.send("b", never);
    controller.abort("enough");
    await expect(quitter).rejects.toBe("enough");
    expect(await channel.receive(never)).toEqual({ value: "a" });
    await patient;
    expect(await channel.receive(never)).toEqual({ value: "b" });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("a sender that gives up just as it is admitted passes its turn on", async () => {
    const channel = new Channel<string>(1);
    channel.trySend("a");
    const controller = new AbortController();
    const quitter = channel.send("never seen", controller.signal);
    const patient = channel.send("b", never);
    const first = channel.receive(never);
    controller.abort("enough");
    await expect(quitter).rejects.toBe("enough");
    await patient;
    expect([await first, await channel.receive(never)]).toEqual([{ value: "a" }, { value: "b" }]);
  });
});

describe("closing", () => {
  for (const [fact, error, expected] of [
    ["what was sent before is still read, then the end comes", undefined, [1, 2, "end"]],
    ["an error comes after the last value", new Error("cut"), [1, 2, new Error("cut")]],
  ] as const) {
    test(fact, async () => {
      const channel = new Channel<number>(4);
      channel.trySend(1);
      channel.trySend(2);
      channel.close(error);
      channel.close(new Error("second close is ignored"));
      const seen: unknown[] = [];
      try {
        for await (const value of channel) seen.push(value);
        seen.push("end");
      } catch (thrown) {
        seen.push(thrown);
      }
      expect(seen).toEqual(expected);
    });
  }

  test("senders are refused, those who wait as well", async () => {
    const channel = new Channel<number>(1);
    channel.trySend(1);
    const waiting = channel.send(2, never);
    channel.close();
    await expect(waiting).rejects.toMatchObject({ reason: "Closed" });
    await expect(channel.send(3, never)).rejects.toMatchObject({ reason: "Closed" });
    expect(channel.trySend(4)).toBe(false);
  });

  test("a reader that waits is woken", async () => {
    const channel = new Channel<number>(1);
    const waiting = channel.receive(never);
    channel.close();
    expect(await waiting).toBeUndefined();
  });

  test("leaving the loop early closes the channel, drops what is in it and frees who waits to send", async () => {
    const channel = new Channel<number>(1);
    channel.trySend(1);
    const sends = Promise.allSettled([channel.send(2, never), channel.send(3, never)]);
    for await (const _ of channel) break;
    // Taking the first value made room for the second; the third still waited when the reader left.
    expect((await sends).map((send) => send.status)).toEqual(["fulfilled", "rejected"]);
    expect([channel.isClosed, channel.size]).toEqual([true, 0]);
  });
});

describe("reading", () => {
  test("an aborted reader rejects with the reason and loses nothing", async () => {
    const channel = new Channel<number>(1);
    const controller = new AbortController();
    const waiting = channel.receive(controller.signal);
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    channel.trySend(7);
    expect(await channel.receive(never)).toEqual({ value: 7 });
  });

  test("a second reader at once is a mistake that is told", async () => {
    const channel = new Channel<number>(1);
    const first = channel.receive(never);
    await expect(channel.receive(never)).rejects.toThrow("already has a reader");
    channel.close();
    await first;
  });

  test("undefined is a value like any other", async () => {
    const channel = new Channel<undefined>(1);
    channel.trySend(undefined);
    expect(await channel.receive(never)).toEqual({ value: undefined });
  });

  for (const capacity of [0, -1, 1.5, Number.NaN]) {
    test(`a capacity of ${capacity} is refused`, () => {
      expect(() => new Channel(capacity)).toThrow("channel capacity must be");
    });
  }
});
