import { expect, test } from "vitest";
import { leaderHealthCheck } from "./leader-health.ts";

test.each([
  [20_000, undefined],
  [20_001, "overdue"],
])("a leader that is overdue by %d ms is %s", (overdueMs, expected) => {
  const check = leaderHealthCheck({ findFault: (toleranceMs) => (overdueMs > toleranceMs ? "overdue" : undefined) });
  expect(check()).toBe(expected);
});
