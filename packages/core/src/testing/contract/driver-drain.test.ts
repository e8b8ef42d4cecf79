// What a driver does with the keys that are being reconciled when it is stopped.
import { expect, test } from "vitest";
import { configMaps, secrets } from "../../api/generated/resources.ts";
import { type corev1, type Transport, withFaults } from "../../api/index.ts";
import { type FakeClock, seededRandom } from "../../base/index.ts";
import { create, keyed, plan, recordEvent, verbs } from "../../contract/index.ts";
import { Stage } from "./stage.fixture.ts";

const map: corev1.ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "a" } };
const secret: corev1.Secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "a" } };

/** Creates a secret, which takes two seconds, and records an event about it. */
const controller = keyed({
  name: "secrets",
  primary: configMaps,
  writes: [verbs(secrets, "create")],
  observe: (key, { snapshot }) => snapshot.get(configMaps, key),
  decide: () => plan("make it", [[create(secrets, secret)]]),
  report: (object, outcome) =>
    outcome.isComplete
      ? plan("say so", [[recordEvent(object, { type: "Normal", reason: "Made", message: "it" })]])
      : undefined,
});

const slowCreates = (transport: Transport, clock: FakeClock) =>
  withFaults(
    transport,
    [{ name: "slow", fault: { kind: "delay", delayMs: 2000, when: "after" }, match: { verbs: ["create"] } }],
    { clock, random: seededRandom(1) },
  );

const open = (drainMs: number | (() => number)) =>
  new Stage(controller, {
    resources: [configMaps, secrets],
    objects: [[configMaps, map]],
    wrap: slowCreates,
    driver: { drainMs },
  });

test.each([
  ["is finished, report and all, where it may be", 10_000, ["Normal Made: it"]],
  ["is broken off where it may not", 0, []],
  ["is broken off when its time is up", 500, []],
  ["is finished if a function says so at that moment", () => 10_000, ["Normal Made: it"]],
])("a key that is under way %s", async (_name, drainMs, events) => {
  const stage = open(drainMs);
  await stage.clock.advance(1000);
  expect(stage.driver.state).toBe("working");
  const stopped = stage[Symbol.asyncDispose]();
  await stage.clock.advance(5000);
  await stopped;
  expect(stage.events).toEqual(events);
  expect(stage.driver.state).toBe("ended");
});
