import { expect, test } from "vitest";
import { KubeloopError } from "./errors.ts";
import { jsonLineLog, noLog } from "./log.ts";

const written = (level?: "debug" | "warn") => {
  const lines: string[] = [];
  const log = jsonLineLog({ write: (line) => lines.push(line), now: () => 0, ...(level ? { level } : {}) });
  return { log, read: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
};

test("a line holds time, level, message and fields, inherited ones first", () => {
  const { log, read } = written();
  log.with({ controller: "job" }).warn("sync failed", { key: "a/b", count: 3n });
  expect(read()).toEqual([
    {
      time: "1970-01-01T00:00:00.000Z",
      level: "warn",
      message: "sync failed",
      controller: "job",
      key: "a/b",
      count: "3",
    },
  ]);
});

for (const [level, expected] of [
  [undefined, ["info", "warn", "error"]],
  ["debug", ["debug", "info", "warn", "error"]],
  ["warn", ["warn", "error"]],
] as const) {
  test(`at level ${level ?? "(none given)"} it writes ${expected.join(", ")}`, () => {
    const { log, read } = written(level);
    for (const method of ["debug", "info", "warn", "error"] as const) log[method]("x");
    expect(read().map((line) => line["level"])).toEqual(expected);
  });
}

test("errors print with name, reason, cause and stack", () => {
  const { log, read } = written();
  log.error("x", { error: new KubeloopError("above", { reason: "Odd", cause: new Error("below") }) });
  expect(read()[0]?.["error"]).toMatchObject({
    name: "KubeloopError",
    message: "above",
    reason: "Odd",
    cause: { name: "Error", message: "below" },
    stack: expect.stringContaining("log.test.ts"),
  });
});

test("no log says nothing, and neither do its children", () => {
  noLog.with({ a: 1 }).error("unheard");
});
