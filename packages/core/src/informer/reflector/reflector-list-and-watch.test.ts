import { describe, expect, test } from "vitest";
import { newForbidden } from "../../api/index.ts";
import {
  busy,
  expired,
  inStream,
  internal,
  podsResource,
  refused,
  reset,
  second,
  setUp,
} from "./running-reflector.fixture.ts";
import { added, initialEnd, modified, pod, type Script } from "./scripted-source.fixture.ts";

const forbidden = newForbidden(podsResource, "", { detail: "no role" });

/** One call, to its end or for so long. */
async function listAndWatch(script: Script, forMs = 60 * second) {
  const all = setUp(script);
  let ended = "still going";
  const work = all.reflector.listAndWatch(all.signal).then(
    () => {
      ended = "ended";
    },
    (error: unknown) => {
      ended = `threw ${(error as Error).message}`;
    },
  );
  await all.clock.advance(forMs);
  const before = ended;
  await all.stop(work);
  return { ...all, ended: before, endedAfterAbort: ended };
}

interface Fact {
  readonly says: string;
  readonly script: Script;
  readonly ended: string;
  readonly asked: readonly string[];
  readonly errors?: readonly string[];
}

const list = { items: [pod("a", "1")], resourceVersion: "3" };
const facts: readonly Fact[] = [
  {
    says: "goes on for as long as the watch is open",
    script: { lists: [list], watches: [{ parts: [[modified("a", "4")]] }] },
    ended: "still going",
    asked: ["list 0 by 500", "watch 3"],
  },
  {
    says: "opens the watch again where it is closed after an event, without a list",
    script: { lists: [list], watches: [{ parts: [[modified("a", "4")], { afterMs: 2 * second }], ending: "close" }] },
    ended: "still going",
    asked: ["list 0 by 500", "watch 3", "watch 4"],
  },
  {
    says: "throws when it gets no list, and asks for no watch",
    script: { lists: [forbidden] },
    ended: `threw ${forbidden.message}`,
    asked: ["list 0 by 500"],
    errors: [forbidden.message],
  },
  {
    says: "throws when nobody can be reached, and leaves trying again to the caller",
    script: { lists: [refused] },
    ended: "threw connect failed",
    asked: ["list 0 by 500"],
    errors: ["connect failed"],
  },
  {
    says: "throws when it may not watch what it has listed",
    script: { lists: [list], watches: [forbidden] },
    ended: `threw ${forbidden.message}`,
    asked: ["list 0 by 500", "watch 3"],
    errors: [forbidden.message],
  },
  {
    says: "tries a watch again, with a pause, where the server is busy or out of reach",
    script: { lists: [list], watches: [busy, refused, {}] },
    ended: "still going",
    asked: ["list 0 by 500", "watch 3", "watch 3", "watch 3"],
    errors: [busy.message, "connect failed"],
  },
  {
    says: "ends without an error when the watch says that its version has expired",
    script: { lists: [list], watches: [{ parts: [[inStream(expired)]] }] },
    ended: "ended",
    asked: ["list 0 by 500", "watch 3"],
    errors: [expired.message],
  },
  {
    says: "ends without an error when the watch says that the server has a problem",
    script: { lists: [list], watches: [{ parts: [[inStream(internal)]] }] },
    ended: "ended",
    asked: ["list 0 by 500", "watch 3"],
    errors: [internal.message],
  },
  {
    says: "ends without an error when a watch closes within a second and without an event",
    script: { lists: [list], watches: [{ ending: "close" }] },
    ended: "ended",
    asked: ["list 0 by 500", "watch 3"],
    errors: ["watch ended within a second without an event"],
  },
  {
    says: "ends without an error when watches are lost again and again without an event",
    script: { lists: [list], watches: [{ ending: reset }, { ending: reset }, { ending: reset }] },
    ended: "ended",
    asked: ["list 0 by 500", "watch 3", "watch 3", "watch 3"],
    errors: ["reset", "reset", "reset"],
  },
  {
    says: "streams the list where the source can",
    script: { canWatchList: true, watches: [{ parts: [[added("a", "1"), initialEnd("5")]] }] },
    ended: "still going",
    asked: ["stream newest"],
  },
];

describe("one list and watch", () => {
  for (const { says, script, ended, asked, errors = [] } of facts) {
    test(says, async () => {
      const seen = await listAndWatch(script);
      expect([seen.ended, seen.source.asked, seen.errors]).toEqual([ended, asked, errors]);
    });
  }

  test("ends without an error when its signal aborts", async () => {
    expect((await listAndWatch({ lists: [list] })).endedAfterAbort).toBe("ended");
  });

  test("does not wait when it ends: who calls it again decides when", async () => {
    const { clock } = await listAndWatch({ lists: [refused] }, 0);
    expect(clock.monotonic()).toBe(0);
  });

  test("can be called again, and goes on from its version", async () => {
    const { reflector, source, signal, clock, store, stop } = setUp({
      lists: [list, { items: [pod("a", "1"), pod("b", "9")], resourceVersion: "9" }],
      watches: [{ parts: [[modified("a", "4"), inStream(expired)]] }],
    });
    await reflector.listAndWatch(signal);
    const again = reflector.listAndWatch(signal);
    await clock.advance(0);
    expect([source.asked, store.content]).toEqual([
      ["list 0 by 500", "watch 3", "list 4", "watch 9"],
      ["a@1", "b@9"],
    ]);
    await stop(again);
  });

  test("throws when a resync fails", async () => {
    const { reflector, signal, clock, store, stop } = setUp({ lists: [list] }, { resyncMs: 5 * second });
    store.faults.set("resync", new Error("no resync"));
    const failed = expect(reflector.listAndWatch(signal)).rejects.toThrow("no resync");
    await clock.advance(5 * second);
    await failed;
    await stop();
  });

  test("is refused while the reflector runs", async () => {
    const { reflector, signal, run, stop } = setUp({ lists: [list] });
    await run(0);
    await expect(reflector.listAndWatch(signal)).rejects.toThrow("reflector is already running");
    await stop();
  });

  test("shows in the status as a run does, and is over with it", async () => {
    const { reflector, signal } = setUp({ lists: [refused] });
    await expect(reflector.listAndWatch(signal)).rejects.toThrow("connect failed");
    expect(reflector.status.phase).toBe("stopped");
  });
});
