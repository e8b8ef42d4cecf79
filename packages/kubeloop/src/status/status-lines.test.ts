import { describe, expect, test } from "vitest";
import { type StatusSnapshot, statusLines } from "./status-lines.ts";

const event = (about: string, message: string, isWarning = false) => ({
  atMs: Date.parse("2030-01-01T10:20:30Z"),
  isWarning,
  about,
  reason: "Killing",
  message,
});
const quiet: StatusSnapshot = {
  isReady: true,
  nodes: { ready: 3, all: 3 },
  podsByPhase: new Map(),
  queues: [{ name: "deployment", depth: 0, perSecond: 0 }],
  events: [],
};
const busy: StatusSnapshot = {
  isReady: true,
  nodes: { ready: 2, all: 3 },
  podsByPhase: new Map([
    ["Odd", 1],
    ["Running", 3],
    ["Pending", 2],
  ]),
  queues: [
    { name: "a", depth: 0, perSecond: 7 },
    { name: "b", depth: 2, perSecond: 0 },
    { name: "c", depth: 0, perSecond: 0 },
    { name: "d", depth: 2, perSecond: 9 },
    { name: "e", depth: 1, perSecond: 1 },
    { name: "f", depth: 0, perSecond: 1 },
    { name: "g", depth: 0, perSecond: 1 },
  ],
  events: [1, 2, 3, 4, 5, 6].map((n) => event(`pod/web-${n}`, "Stopping\ncontainer c", n === 6)),
};
const wide = { columns: 100, rows: 24 };

test.each<[string, StatusSnapshot, readonly string[]]>([
  ["nothing to do", quiet, ["nodes 3/3 ready · pods none", "controllers idle"]],
  ["no controllers", { ...quiet, queues: [] }, ["nodes 3/3 ready · pods none", "controllers none"]],
  [
    "the start",
    { ...quiet, isReady: false, nodes: { ready: 0, all: 3 } },
    ["starting: nodes 0/3 ready · pods none", "controllers idle"],
  ],
  [
    "much to do",
    busy,
    [
      "nodes 2/3 ready · pods 2 Pending, 3 Running, 1 Odd",
      "controllers d 2 (9/s), b 2 (0/s), e 1 (1/s), a 0 (7/s), 2 more",
      "10:20:30   pod/web-2 Killing: Stopping container c",
      "10:20:30   pod/web-3 Killing: Stopping container c",
      "10:20:30   pod/web-4 Killing: Stopping container c",
      "10:20:30   pod/web-5 Killing: Stopping container c",
      "10:20:30 ! pod/web-6 Killing: Stopping container c",
    ],
  ],
])("%s", (_what, snapshot, lines) => {
  expect(statusLines(snapshot, wide)).toEqual(lines);
});

describe("a small terminal", () => {
  test.each([
    [{ columns: 20, rows: 24 }, ["nodes 2/3 ready · p…", "controllers d 2 (9/…", "10:20:30   pod/web-…"]],
    [{ columns: 1, rows: 24 }, ["…", "…", "…"]],
    [{ columns: 0, rows: 24 }, ["", "", ""]],
  ])("cuts lines at %j", (size, [first, second, third]) => {
    const lines = statusLines(busy, size);
    expect(lines.slice(0, 3)).toEqual([first, second, third]);
  });

  test.each([
    [6, ["nodes", "contr", "10:20", "10:20"]],
    [4, ["nodes", "contr"]],
    [3, ["nodes"]],
    [2, []],
    [0, []],
  ])("of %d rows shows what fits above the cursor, the newest events", (rows, starts) => {
    const lines = statusLines(busy, { columns: 100, rows });
    expect(lines.map((line) => line.slice(0, 5))).toEqual(starts);
    if (rows === 6) expect(lines.at(-1)).toContain("pod/web-6");
  });

  test("is never overrun by wide characters, and nothing that an object says moves the cursor", () => {
    const events = [event("pod/x", "\u001b[2J\u001b[31m货物\r\n货物货物货物货物货物货物")];
    const lines = statusLines({ ...quiet, events }, { columns: 40, rows: 24 });
    expect(lines.at(-1)).toBe("10:20:30   pod/x Killing: 货物 货物货物…");
    const podsByPhase = new Map([["\u001b]0;title\u0007Od\u009bd\n", 1]]);
    expect(statusLines({ ...quiet, podsByPhase }, wide)[0]).toBe("nodes 3/3 ready · pods 1 Od d ");
  });

  test("shows a line that just fits as it is", () => {
    expect(statusLines(quiet, { columns: 27, rows: 24 })[0]).toBe("nodes 3/3 ready · pods none");
    expect(statusLines(quiet, { columns: 26, rows: 24 })[0]).toBe("nodes 3/3 ready · pods no…");
  });
});
