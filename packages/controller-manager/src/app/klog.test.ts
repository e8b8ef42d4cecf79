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

test("a text line is klog's", () => {
  const [line] = written({}, (log) =>
    log.with({ controller: "ttl" }).warn("cannot", { error: new Error('no "way"'), n: 3 }),
  );
  const pid = String(process.pid).padStart(7);
  expect(line).toEqual([
    `W0501 12:30:45.678000 ${pid} kubeloop] "cannot" controller="ttl" err="no \\"way\\"" n=3`,
    "warn",
  ]);
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
