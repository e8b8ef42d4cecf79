import { EventEmitter } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { pods } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { startCluster } from "../cluster/start-cluster.ts";
import type { Terminal } from "./live-block.ts";
import { StatusBoard } from "./status-board.ts";

class FakeTerminal extends EventEmitter {
  columns = 60;
  rows = 24;
  readonly written: string[] = [];
  write(text: string): void {
    this.written.push(text);
  }
  /** The lines that were drawn last. */
  get drawn(): readonly string[] {
    return stripVTControlCharacters(this.written.at(-1) ?? "")
      .replaceAll("\r", "")
      .split("\n")
      .slice(0, -1);
  }
}

test("a board draws what has changed, nothing while nothing changes, and leaves nothing behind", async () => {
  await using cluster = await startCluster({ nodes: 2, clock: "virtual" });
  const { clock, signal } = cluster;
  // What the nodes said at their start is old by then, and not shown.
  await clock.advance(10_000);
  const terminal = new FakeTerminal();
  const board = new StatusBoard(terminal as Terminal, clock);
  const queue = board.meter
    .gauge({ name: "workqueue_depth", help: "", labels: ["name"] })
    .labels({ name: "job-controller" });
  const stop = new AbortController();
  const running = board.run(cluster.informers, stop.signal);
  await clock.advance(250);
  expect(terminal.drawn).toEqual(["starting: nodes 2/2 ready · pods none", "controllers idle"]);

  board.ready();
  queue.set(3);
  const spec = { containers: [{ name: "c", image: "web" }] };
  await cluster.client
    .resource(pods)
    .in("default")
    .create({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec }, signal);
  await cluster.settled();
  await clock.advance(500);
  const [first, second, ...events] = terminal.drawn;
  expect([first, second]).toEqual(["nodes 2/2 ready · pods 1 Running", "controllers job 3 (0/s)"]);
  expect(events.at(-1)).toMatch(/^\d\d:\d\d:\d\d {3}pod\/web Started: Container started$/);

  const writes = terminal.written.length;
  await clock.advance(30_000);
  expect(terminal.written.length).toBe(writes);

  terminal.columns = 20;
  terminal.emit("resize");
  await clock.advance(250);
  expect(terminal.drawn[0]).toBe("nodes 2/2 ready · p…");

  stop.abort();
  await running;
  expect(terminal.drawn).toEqual([]);
  expect(terminal.listenerCount("resize")).toBe(0);
});
