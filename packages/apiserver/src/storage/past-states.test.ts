import type { KubernetesObject } from "@kubeloop/core/api";
import { beforeEach, describe, expect, test } from "vitest";
import { EventWindow } from "./event-window.ts";
import { note, notes, textOf } from "./objects.fixture.ts";
import { PastStates } from "./past-states.ts";
import { PersistentTree } from "./persistent-tree.ts";
import type { StorageEvent } from "./storage.ts";

/** Counts how many events are looked at: what it costs to reach a state. */
class CountingWindow extends EventWindow {
  looks = 0;

  override at(position: number): StorageEvent | "forgotten" | undefined {
    this.looks++;
    return super.at(position);
  }
}

describe("states of the past", () => {
  let events = new CountingWindow(1);
  let present = new PersistentTree<KubernetesObject>();
  let past = new PastStates(events, present);

  beforeEach(() => {
    events = new CountingWindow(1);
    present = new PersistentTree();
    past = new PastStates(events, present);
  });

  /** Writes the one key again; the text is the number of the event. */
  const write = (times: number) => {
    for (let i = 0; i < times; i++) {
      const before = present.get("a");
      const after = note(String(events.next));
      present.set("a", after);
      events.push({ collection: notes, key: "a", revision: events.next, before, after });
      past.noteEvent();
    }
  };
  /** What the key held when all events before this number had happened, and how many events it took to find out. */
  const look = (position: number) => {
    const before = events.looks;
    return { text: textOf(past.at(position).get("a")), cost: events.looks - before };
  };

  test("cost at most half the way between two checkpoints, and the whole way before the oldest", () => {
    write(10_000);
    for (let position = 9_999; position > 2; position -= 617) {
      const { text, cost } = look(position);
      expect([text, cost <= (position < 2048 ? 2048 : 1024)]).toEqual([String(position - 1), true]);
    }
  });

  test("cost nothing when asked for again, nor does the present", () => {
    write(5000);
    const first = look(2300);
    expect([first.cost > 0, look(2300), look(5001)]).toEqual([
      true,
      { text: "2299", cost: 0 },
      { text: "5000", cost: 0 },
    ]);
  });

  test("cost nothing when they were remembered as the present, and are not changed by what follows", () => {
    write(300);
    past.rememberPresent();
    write(300);
    expect(look(301)).toEqual({ text: "300", cost: 0 });
  });

  test("are let go when others are asked for, the least recently asked for first", () => {
    write(400);
    const asked = [20, 60, 100, 140, 180, 220, 260, 300];
    for (const position of asked) look(position);
    look(20);
    look(340);
    expect([look(20).cost, look(340).cost, look(60).cost > 0]).toEqual([0, 0, true]);
  });

  test("are reached from what is known when older events are forgotten", () => {
    write(5000);
    look(100);
    look(4000);
    while (events.first < 3500) events.forgetFirst();
    past.noteForgotten();
    expect([look(3500).text, look(4000), look(3600).text]).toEqual(["3499", { text: "3999", cost: 0 }, "3599"]);
  });
});
