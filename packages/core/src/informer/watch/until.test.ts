import { describe, expect, test } from "vitest";
import { newInternalError } from "../../api/index.ts";
import { FakeClock, systemClock, TimeoutError, timeoutSignal } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { failureOf } from "../../client/rest/scripted-server.fixture.ts";
import {
  added,
  deleted,
  modified,
  type Pod,
  pod,
  type Script,
  ScriptedSource,
} from "../reflector/scripted-source.fixture.ts";
import {
  listWatchUntil,
  until,
  untilWithoutRetry,
  untilWithSync,
  WatchClosedError,
  type WatchCondition,
} from "./until.ts";

const second = 1000;
const never = new AbortController().signal;
const is =
  (type: WatchEvent["type"]): WatchCondition<Pod> =>
  (event) =>
    event.type === type;

async function* eventsOf(events: readonly WatchEvent<Pod>[], ending: "close" | "open" = "close") {
  yield* events;
  if (ending === "open") await new Promise(() => {});
}

describe("waiting on events", () => {
  const a = [added("a", "1"), modified("a", "2")];

  test("ends with the event that fulfils the last condition", async () => {
    expect(await untilWithoutRetry(eventsOf(a, "open"), [is("ADDED"), is("MODIFIED")], never)).toEqual(
      modified("a", "2"),
    );
  });

  test("lets one event fulfil several conditions in turn", async () => {
    expect(await untilWithoutRetry(eventsOf(a, "open"), [is("ADDED"), is("ADDED")], never)).toEqual(added("a", "1"));
  });

  test("passes over events that fulfil nothing", async () => {
    const events = [added("a", "1"), added("b", "2"), modified("a", "3"), deleted("a", "4")];
    expect(await untilWithoutRetry(eventsOf(events, "open"), [is("DELETED")], never)).toEqual(deleted("a", "4"));
  });

  test("waits for conditions that take their time", async () => {
    const later: WatchCondition<Pod> = async (event) => event.type === "MODIFIED";
    expect(await untilWithoutRetry(eventsOf(a, "open"), [later], never)).toEqual(modified("a", "2"));
  });

  test("without a condition is over at once", async () => {
    expect(await untilWithoutRetry(eventsOf(a, "open"), [], never)).toBeUndefined();
  });

  test("ends with its signal where a condition is never met", async () => {
    const clock = new FakeClock();
    using limit = timeoutSignal(never, 10 * second, { clock, what: "the wait" });
    const events = eventsOf([added("a", "1")], "open");
    const waiting = untilWithoutRetry(events, [is("ADDED"), is("ADDED"), is("DELETED")], limit.signal);
    const error = await failureOf(() => clock.drive(waiting));
    expect(error).toBeInstanceOf(TimeoutError);
  });

  test("needs no limit where there is nothing to limit", async () => {
    expect(await untilWithoutRetry(eventsOf(a), [is("MODIFIED")], never)).toEqual(modified("a", "2"));
  });

  test("ends with what a condition throws", async () => {
    const bad: WatchCondition<Pod> = () => {
      throw new Error("something bad");
    };
    expect(await failureOf(() => untilWithoutRetry(eventsOf(a, "open"), [is("ADDED"), bad], never))).toEqual(
      new Error("something bad"),
    );
  });

  test("fails where the events end first, and tells the last", async () => {
    const error = await failureOf(() => untilWithoutRetry(eventsOf(a), [is("DELETED")], never));
    expect(error).toBeInstanceOf(WatchClosedError);
    expect((error as WatchClosedError).lastEvent).toEqual(modified("a", "2"));
  });

  test("closes what it read, and waits for that", async () => {
    let isClosed = false;
    async function* events() {
      try {
        yield* a;
      } finally {
        await systemClock.yield();
        isClosed = true;
      }
    }
    await untilWithoutRetry(events(), [is("ADDED")], never);
    expect(isClosed).toBe(true);
  });
});

/** Runs the wait in virtual time, ends it after ten seconds, and looks whether anything was left. */
async function wait(
  script: Script,
  start: (source: ScriptedSource, clock: FakeClock, signal: AbortSignal) => Promise<unknown>,
) {
  const clock = new FakeClock();
  const source = new ScriptedSource(clock, script);
  using limit = timeoutSignal(never, 10 * second, { clock, what: "the wait" });
  const waiting = start(source, clock, limit.signal).then(
    (event) => ({ event }),
    (error: unknown) => ({ error }),
  );
  const outcome = await clock.drive(waiting);
  limit[Symbol.dispose]();
  await clock.settle();
  expect([clock.pending(), source.openWatches]).toEqual([[], 0]);
  return { ...outcome, asked: source.asked };
}

describe("waiting on a watch", () => {
  test("goes on over watches that end", async () => {
    const script: Script = {
      watches: [{ parts: [[added("a", "6")]], ending: "close" }, { parts: [[deleted("a", "7")]] }],
    };
    const outcome = await wait(script, (source, clock, signal) =>
      until(source, { resourceVersion: "5", conditions: [is("DELETED")], clock }, signal),
    );
    expect(outcome).toEqual({ event: deleted("a", "7"), asked: ["watch 5", "watch 6"] });
  });

  test("begins with what is there, where it lists first", async () => {
    const script: Script = {
      lists: [{ items: [pod("a", "1"), pod("b", "2")], resourceVersion: "5" }],
      watches: [{ parts: [[modified("b", "6")]] }],
    };
    const isB: WatchCondition<Pod> = (event) => event.type !== "ERROR" && event.object.metadata.name === "b";
    const listed = await wait(script, (source, clock, signal) =>
      listWatchUntil(source, { conditions: [isB], clock }, signal),
    );
    const changed = await wait(script, (source, clock, signal) =>
      listWatchUntil(source, { conditions: [isB, is("MODIFIED")], clock }, signal),
    );
    expect(listed).toEqual({ event: added("b", "2"), asked: ["list newest by 500"] });
    expect(changed).toEqual({ event: modified("b", "6"), asked: ["list newest by 500", "watch 5"] });
  });

  test("lists what began anew once", async () => {
    const script: Script = { lists: [{ voided: [pod("old", "1")], items: [pod("a", "2")], resourceVersion: "5" }] };
    const seen: string[] = [];
    await wait(script, (source, clock, signal) => {
      const note: WatchCondition<Pod> = (event) => {
        if (event.type === "ADDED") seen.push(event.object.metadata.name ?? "");
        return seen.length === 1;
      };
      return listWatchUntil(source, { conditions: [note], clock }, signal);
    });
    expect(seen).toEqual(["a"]);
  });
});

describe("waiting on an informer", () => {
  const stuck: Script = { lists: [{ afterMs: 3600 * second }] };
  const one: Script = { lists: [{ items: [pod("first", "1")] }] };
  const always = () => true;

  test("does not wait for the cache without a precondition, but for events", async () => {
    const { error } = (await wait(stuck, (source, clock, signal) =>
      untilWithSync(source, { conditions: [always], clock }, signal),
    )) as { error: unknown };
    expect(error).toBeInstanceOf(TimeoutError);
  });

  test("waits for the cache with a precondition, as long as it may", async () => {
    const { error } = (await wait(stuck, (source, clock, signal) =>
      untilWithSync(source, { conditions: [always], precondition: always, clock }, signal),
    )) as { error: unknown };
    expect(error).toBeInstanceOf(TimeoutError);
  });

  test("is over where the precondition holds", async () => {
    const outcome = await wait(one, (source, clock, signal) =>
      untilWithSync(
        source,
        {
          precondition: (store) => store.getByKey("shop/first") !== undefined,
          conditions: [
            () => {
              throw new Error("should never reach this");
            },
          ],
          clock,
        },
        signal,
      ),
    );
    expect(outcome).toMatchObject({ event: undefined });
  });

  test("goes on to the conditions where it does not", async () => {
    const outcome = await wait(one, (source, clock, signal) =>
      untilWithSync(source, { precondition: () => false, conditions: [is("ADDED")], clock }, signal),
    );
    expect(outcome).toMatchObject({ event: added("first", "1") });
  });

  test("survives what a watch does not", async () => {
    const script: Script = { ...one, lists: [newInternalError(new Error("boom")), ...(one.lists ?? [])] };
    const outcome = await wait(script, (source, clock, signal) =>
      untilWithSync(source, { conditions: [is("ADDED")], clock, random: { next: () => 0 } }, signal),
    );
    expect(outcome).toEqual({ event: added("first", "1"), asked: ["list 0 by 500", "list 0 by 500", "watch 10"] });
  });
});
