import { expect, test } from "vitest";
import { configMaps } from "../api/generated/resources.ts";
import type { FaultRule } from "../api/index.ts";
import { FakeClock } from "../base/index.ts";
import { newConfigMap } from "./builders/index.ts";
import { FakeApiServer } from "./fake-server/index.ts";
import { faultyClient } from "./faulty-transport.ts";

const { signal } = new AbortController();

async function names(rules: readonly FaultRule[], isActive?: () => boolean) {
  const clock = new FakeClock();
  const server = new FakeApiServer({ clock, resources: [configMaps] });
  const { client, injected } = faultyClient(server.transport, rules, { clock, ...(isActive ? { isActive } : {}) });
  const outcomes: string[] = [];
  for (const name of "abcdefgh") {
    const made = client
      .resource(configMaps)
      .in("shop")
      .create(newConfigMap(`shop/${name}`), {}, signal);
    outcomes.push(
      await clock.drive(
        made.then(
          () => "made",
          () => "failed",
        ),
      ),
    );
  }
  return { outcomes, stored: server.list(configMaps).map(({ metadata }) => metadata.name), injected };
}

test("rules are applied, and what they did is kept", async () => {
  const lost: FaultRule = {
    name: "lost",
    fault: { kind: "reset", when: "after" },
    match: { verbs: ["create"] },
    nth: [2],
  };
  const { outcomes, stored, injected } = await names([lost]);
  expect(outcomes).toEqual(["made", "failed", "made", "made", "made", "made", "made", "made"]);
  expect(stored).toContain("b");
  expect(injected.map(({ rule, method }) => `${rule} ${method}`)).toEqual(["lost POST"]);
});

test("chance repeats without a seed being given", async () => {
  const rule: FaultRule = { name: "some", fault: { kind: "status", code: 403 }, probability: 0.5 };
  const [first, second] = [await names([rule]), await names([rule])];
  expect(new Set(first.outcomes).size).toBe(2);
  expect(second.outcomes).toEqual(first.outcomes);
});

test("switched off, everything passes", async () => {
  const { injected, stored } = await names([{ name: "all", fault: { kind: "status", code: 403 } }], () => false);
  expect(injected).toEqual([]);
  expect(stored).toHaveLength(8);
});
