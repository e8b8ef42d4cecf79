import { describe, expect, test } from "vitest";
import { newForbidden, newInvalid } from "../../api/index.ts";
import { FakeClock } from "../../base/index.ts";
import {
  busy,
  expired,
  inStream,
  minute,
  outcome,
  podsResource,
  refused,
  second,
} from "./running-reflector.fixture.ts";
import { added, bookmark, initialEnd, modified, type Script } from "./scripted-source.fixture.ts";
import { newWatchListMemory } from "./watch-list-memory.ts";

describe("a streamed list that fails", () => {
  const streaming = (watches: NonNullable<Script["watches"]>): Script => ({ canWatchList: true, watches });

  test.each([
    ["because the server does not know it", newInvalid({ group: "", kind: "ListOptions" }, "", { faults: [] })],
    ["for any other reason", new Error("dummy error")],
    ["because one may not watch", newForbidden(podsResource, "", { detail: "no" })],
  ])("%s is replaced by a list at once", async (_, failure) => {
    const { asked, source, errors } = await outcome(streaming([failure, { parts: [[added("b", "11")]] }]), second);
    expect(asked).toEqual(["stream newest", "list 0 by 500", "watch 10"]);
    expect(source.askedMs).toEqual([0, 0, 0]);
    expect(errors).toHaveLength(1);
  });

  test("because there is no time for it is tried again after a pause", async () => {
    const { asked, source, store } = await outcome(
      streaming([busy, refused, { parts: [[added("a", "1"), initialEnd("2")]] }]),
      5 * second,
    );
    expect(asked).toEqual(["stream newest", "stream newest", "stream newest"]);
    expect(source.askedMs).toEqual([0, 1000, 2600]);
    expect(store.content).toEqual(["a@1"]);
  });

  test("by ending before its bookmark is tried again after a pause, and nothing of it is kept", async () => {
    const { asked, source, store } = await outcome(
      streaming([{ parts: [[added("gone", "1")]], ending: "close" }, { parts: [[added("a", "1"), initialEnd("1")]] }]),
      second,
    );
    expect([asked, source.askedMs, store.calls]).toEqual([
      ["stream newest", "stream newest"],
      [0, 800],
      ["replace [a@1] at 1"],
    ]);
  });

  test("so each time is replaced by a list, and for half an hour no other is asked for", async () => {
    const ended = { parts: [[added("a", "1")]], ending: "close" as const };
    const halfAnHour = Array.from({ length: 31 }, () => [{ afterMs: minute }, [bookmark("20")]]).flat();
    const afterwards = { parts: [...halfAnHour, [inStream(expired)]] };
    const { asked } = await outcome(
      streaming([ended, ended, { parts: [[inStream(expired)]] }, afterwards, { parts: [[initialEnd("30")]] }]),
      35 * minute,
    );
    expect(asked).toEqual([
      "stream newest",
      "stream newest",
      "list 0 by 500",
      "watch 10",
      "list 10",
      "watch 10",
      "stream 20",
    ]);
  });

  test("by never being answered is replaced by a list after five seconds", async () => {
    const { asked, source, errors } = await outcome(streaming([{ parts: [] }]), minute);
    expect([asked, source.askedMs]).toEqual([
      ["stream newest", "list 0 by 500", "watch 10"],
      [0, 5 * second, 5 * second],
    ]);
    expect(errors).toEqual(["streamed list made no progress and its bookmark did not come"]);
  });

  test("by never being answered is not asked for again by another reflector of the same client, for half an hour", async () => {
    const watchListMemory = newWatchListMemory();
    const clock = new FakeClock();
    await outcome({ ...streaming([{ parts: [] }]), watchListMemory }, minute, { clock });
    const second = await outcome({ ...streaming([]), watchListMemory }, minute, { clock });
    expect([second.asked, second.source.askedMs[0]]).toEqual([["list 0 by 500", "watch 10"], minute]);
    await clock.advance(30 * minute);
    const later = await outcome({ ...streaming([{ parts: [[initialEnd("5")]] }]), watchListMemory }, minute, { clock });
    const last = await outcome({ ...streaming([{ parts: [[initialEnd("6")]] }]), watchListMemory }, minute, { clock });
    expect([later.asked, last.asked]).toEqual([["stream newest"], ["stream newest"]]);
  });

  test("by saying nothing more is replaced by a list after half a minute", async () => {
    const { asked, source, errors } = await outcome(streaming([{ parts: [[added("a", "1")]] }]), minute);
    expect([asked, source.askedMs]).toEqual([
      ["stream newest", "list 0 by 500", "watch 10"],
      [0, 30 * second, 30 * second],
    ]);
    expect(errors).toEqual(["streamed list made no progress and its bookmark did not come"]);
  });

  test("by changes and bookmarks that never end is replaced by a list all the same", async () => {
    const parts = Array.from({ length: 20 }, (_, i) => [
      { afterMs: 5 * second },
      [modified("a", `${10 + i}`), bookmark(`${10 + i}`)],
    ]).flat();
    const { asked, source } = await outcome(streaming([{ parts: [[added("a", "1")], ...parts] }]), minute);
    expect(asked).toEqual(["stream newest", "list 0 by 500", "watch 10"]);
    expect(source.askedMs[1]).toBe(30 * second);
  });

  test("not, takes as long as objects come", async () => {
    const parts = Array.from({ length: 20 }, (_, i) => [{ afterMs: 20 * second }, [added(`a${i}`, `${i + 1}`)]]).flat();
    const first = [added("a", "1")];
    const { asked, store } = await outcome(streaming([{ parts: [first, ...parts, [initialEnd("20")]] }]), 7 * minute);
    expect(asked).toEqual(["stream newest"]);
    expect(store.objects.size).toBe(21);
  });

  test("is not asked for where the user does not want it", async () => {
    const { asked } = await outcome({ canWatchList: true }, 0, { watchListEnabled: false });
    expect(asked).toEqual(["list 0 by 500", "watch 10"]);
  });
});
