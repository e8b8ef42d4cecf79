import type { LogLevel } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { type KlogOptions, klog } from "./klog.ts";

const now = Date.parse("2024-05-01T12:30:45.678Z");

function written(
  options: Partial<KlogOptions>,
  say: (log: ReturnType<typeof klog>) => void,
): readonly [string, LogLevel][] {
  const lines: [string, LogLevel][] = [];
  say(
    klog({
      format: "text",
      verbosity: () => 0,
      now: () => now,
      write: (line, level) => lines.push([line, level]),
      ...options,
    }),
  );
  return lines;
}

/** The same moment as the lines' clocks have it. */
test.each([
  ["UTC", "0501 12:30:45.678000"],
  ["America/New_York", "0501 08:30:45.678000"],
  ["Asia/Kathmandu", "0501 18:15:45.678000"],
])("a text line has the time of %s where that is local", (zone, expected) => {
  const before = process.env["TZ"];
  process.env["TZ"] = zone;
  try {
    expect(written({}, (log) => log.info("x"))[0]?.[0].slice(1, 21)).toBe(expected);
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});

test("a text line is klog's", () => {
  const [line] = written({}, (log) =>
    log.with({ controller: "ttl" }).warn("cannot", { error: new Error('no "way"'), n: 3 }),
  );
  const pid = String(process.pid).padStart(7);
  const [text = "", level] = line ?? [];
  expect(text.replace(/^W\d{4} [\d:.]{15} /, "TIME ")).toBe(
    `TIME ${pid} kubeloop] "cannot" controller="ttl" err="no \\"way\\"" n=3`,
  );
  expect(level).toBe("warn");
});

test("a JSON line has klog's fields", () => {
  const lines = written({ format: "json" }, (log) => {
    log.info("begins", { controller: "ttl" });
    log.error("broke", { error: new Error("why") });
  });
  expect(lines.map(([line]) => JSON.parse(line))).toEqual([
    { ts: now, level: "info", v: 0, msg: "begins", controller: "ttl" },
    { ts: now, level: "error", msg: "broke", err: "why" },
  ]);
});

test.each([
  [0, [], ["info"]],
  [3, [], ["info"]],
  [4, [], ["debug", "info"]],
  [0, [{ pattern: "ttl*", level: 4 }], ["debug", "info"]],
  [0, [{ pattern: "job*", level: 4 }], ["info"]],
  [9, [{ pattern: "ttl-?", level: 0 }], ["info"]],
])("with -v=%i and --vmodule=%j, %j are written", (verbosity, vmodule, levels) => {
  const lines = written({ verbosity: () => verbosity, vmodule }, (log) => {
    log.with({ controller: "ttl-1" }).debug("detail");
    log.with({ controller: "ttl-1" }).info("news");
  });
  expect(lines.map(([, level]) => level)).toEqual(levels);
});
