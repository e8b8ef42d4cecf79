import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { defaultLog } from "./default-log.ts";

const written: string[] = [];
beforeEach(() => {
  written.length = 0;
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text).replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z/, "TIME"));
    return true;
  });
});
afterEach(() => void vi.restoreAllMocks());

// What is alike is suppressed for a minute, whoever says it: each test has words of its own.
describe("the log of whoever is given none", () => {
  test("writes warnings and errors to stderr, a line each", () => {
    const log = defaultLog.with({ controller: "of the default log" });
    log.warn("cannot reach the server", { error: new Error("connection refused") });
    log.error("reconcile failed", { key: "shop/a" });
    expect(written).toEqual([
      'TIME WARN controller "of the default log": cannot reach the server error="connection refused"\n',
      'TIME ERROR controller "of the default log": reconcile failed key=shop/a\n',
    ]);
  });

  test("says nothing that is no trouble", () => {
    defaultLog.info("something of the default log started");
    defaultLog.debug("something of the default log happened");
    expect(written).toEqual([]);
  });

  test("does not flood", () => {
    for (let i = 0; i < 100; i++)
      defaultLog.warn("the default log repeats itself", { error: new Error(`attempt ${i}`) });
    expect(written).toHaveLength(1);
  });
});
