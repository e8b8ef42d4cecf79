import { describe, expect, test } from "vitest";
import { newNotFound } from "../../api/index.ts";
import { FakeClock, type Log, MetricsRegistry } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import type { ReflectorStatus } from "../liveness.ts";
import { expired, internal, refused, reset, second, setUp } from "./running-reflector.fixture.ts";
import { added, bookmark, initialEnd, type Pod, pod } from "./scripted-source.fixture.ts";

describe("the status", () => {
  const wallMs = new FakeClock().now();

  test("tells what it is doing, since when there is trouble, and what it was", async () => {
    const { run, stop, reflector } = setUp({
      lists: [internal, { afterMs: second }],
      watches: [{ parts: [{ afterMs: second }, [added("a", "11")]] }],
    });
    expect(reflector.status).toEqual({
      phase: "idle",
      lastContactMs: undefined,
      failingSinceMs: undefined,
      resourceVersion: "",
      lists: 0,
      watches: 0,
      errors: 0,
      lastFailure: undefined,
      listEncoding: undefined,
      watchEncoding: undefined,
    });
    await run(100);
    const failure = { error: internal, atMs: wallMs };
    const failing = { failingSinceMs: wallMs, errors: 1, lastFailure: failure };
    expect(reflector.status).toMatchObject({ phase: "waiting", lists: 1, lastContactMs: undefined, ...failing });
    await run(800);
    expect(reflector.status).toMatchObject({ phase: "listing", lists: 2, ...failing });
    await run(second);
    expect(reflector.status).toMatchObject({
      phase: "watching",
      lastContactMs: wallMs + 1800,
      failingSinceMs: undefined,
      resourceVersion: "10",
      watches: 1,
      lastFailure: failure,
    });
    await run(second);
    expect(reflector.status).toMatchObject({ lastContactMs: wallMs + 2800, resourceVersion: "11" });
    await stop();
    expect(reflector.status.phase).toBe("stopped");
  });

  test("shows trouble until something is heard on the watch that follows", async () => {
    const { run, stop, reflector } = setUp({
      watches: [refused, { parts: [{ afterMs: 10 * second }, [bookmark("11")]] }],
    });
    await run(5 * second);
    expect(reflector.status).toMatchObject({ phase: "watching", failingSinceMs: wallMs });
    await run(6 * second);
    expect(reflector.status.failingSinceMs).toBeUndefined();
    await stop();
  });

  test("takes a watch that has not failed for a minute for open", async () => {
    const { run, stop, reflector } = setUp({ watches: [refused] });
    await run(30 * second);
    expect(reflector.status.failingSinceMs).toBe(wallMs);
    await run(31 * second);
    expect(reflector.status.failingSinceMs).toBeUndefined();
    await stop();
  });

  test("is told to those who want to hear of changes, but not of every event", async () => {
    const heard: ReflectorStatus["phase"][] = [];
    const { run, stop, reflector } = setUp({
      lists: [internal, {}],
      watches: [{ parts: [[added("a", "11")], [added("b", "12")]] }],
    });
    using _ = reflector.onStatusChange(({ phase }) => heard.push(phase));
    await run(second);
    await stop();
    expect(heard).toEqual(["idle", "listing", "waiting", "listing", "watching", "stopped"]);
  });

  test("counts a streamed list as a list and a watch", async () => {
    const { run, stop, reflector } = setUp({ canWatchList: true, watches: [{ parts: [[initialEnd("5")]] }] });
    await run(0);
    expect(reflector.status).toMatchObject({ phase: "watching", lists: 1, watches: 1, resourceVersion: "5" });
    await stop();
  });
});

describe("metrics", () => {
  test("are upstream's, by name, and go when the reflector does", async () => {
    const metrics = new MetricsRegistry();
    const node = { ...pod("x", "1"), kind: "Node" } as unknown as Pod;
    const wrong: WatchEvent<Pod> = { type: "ADDED", object: node };
    const { run, stop, reflector } = setUp(
      {
        lists: [{ items: [pod("a", "1"), pod("b", "2")], afterMs: 2 * second, resourceVersion: "1234567890123456789" }],
        watches: [{ ending: "close" }, { parts: [[added("c", "1234567890123456790"), wrong]], ending: reset }],
      },
      { metrics, name: "metered" },
    );
    await run(10 * second);
    const text = metrics.print();
    const value = (name: string) =>
      text
        .split("\n")
        .find((line) => line.startsWith(`${name}{name="metered"}`))
        ?.split(" ")[1];
    expect({
      lists: value("reflector_lists_total"),
      listSeconds: value("reflector_list_duration_seconds_sum"),
      items: value("reflector_items_per_list_sum"),
      watches: value("reflector_watches_total"),
      short: value("reflector_short_watches_total"),
      watched: value("reflector_watch_duration_seconds_count"),
      heard: value("reflector_items_per_watch_sum"),
      version: Number(value("reflector_last_resource_version")),
      dropped: value("reflector_dropped_total"),
    }).toEqual({
      lists: "2",
      listSeconds: "4",
      items: "4",
      watches: "3",
      short: "1",
      watched: "2",
      heard: "2",
      version: 567_890_123_456_790,
      dropped: "1",
    });
    await stop();
    expect(metrics.print()).not.toContain("metered");
    expect(reflector.name).toBe("metered");
  });
});

test("a resource that is not served is told of once, without a stack, until it has been listed", async () => {
  const told: string[] = [];
  const note =
    (level: string) =>
    (message: string, fields: object = {}) => {
      told.push(
        `${level} ${message} ${JSON.stringify(Object.entries(fields).filter(([name]) => name !== "reflector"))}`,
      );
    };
  const nobody = () => {};
  const log: Log = { debug: nobody, info: note("info"), warn: note("warn"), error: note("error"), with: () => log };
  const gone = newNotFound({ group: "web.example.com", resource: "websites" }, "");
  const { run, stop, reflector } = setUp({ lists: [gone, gone, gone, {}, gone], watches: [expired] }, { log });
  await run(60 * second);
  const warning = "warn cannot list the resource: is the CRD installed?";
  expect(told.filter((line) => line.startsWith("warn cannot")).length).toBe(2);
  expect(told[0]).toMatch(new RegExp(`^${warning.replaceAll("?", "\\?")} .*"resource"`));
  expect(told.join()).not.toContain("stack");
  expect(reflector.status.errors).toBeGreaterThanOrEqual(4);
  await stop();
});
