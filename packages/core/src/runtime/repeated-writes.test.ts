import { expect, test } from "vitest";
import { configMaps } from "../api/generated/resources.ts";
import type { corev1, KubernetesObject } from "../api/index.ts";
import { FakeClock, type LogFields, MetricsRegistry } from "../base/index.ts";
import { type Action, apply, editObject, patch, remove, update } from "../contract/index.ts";
import { RepeatedWrites } from "./repeated-writes.ts";

const stored = (version: string, data: Readonly<Record<string, string>> = {}, name = "a"): corev1.ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name, resourceVersion: version },
  data,
});

function newWrites() {
  const clock = new FakeClock();
  const warnings: LogFields[] = [];
  const metrics = new MetricsRegistry();
  const log = {
    debug() {},
    info() {},
    error() {},
    with: () => log,
    warn: (_: string, fields = {}) => warnings.push(fields),
  };
  const count = metrics.counter({ name: "repeated", help: "-" }).labels({});
  const writes = new RepeatedWrites({ clock, log, count });
  let version = 1;
  const send = (action: Action | undefined, answer: KubernetesObject = stored(String(version++))) => {
    if (action !== undefined) writes.note(action, { status: "done", value: answer });
  };
  const counted = () => Number(/^repeated (\d+)$/m.exec(metrics.print())?.[1] ?? 0);
  return { clock, writes, warnings, send, counted };
}

const edit = (color: string, name = "a") => editObject(configMaps, stored("1", {}, name), stored("1", { color }, name));
const times = (count: number, work: (i: number) => void) => Array.from({ length: count }, (_, i) => work(i));

for (const [fact, work, counts, warns] of [
  ["four of the same are no matter", ({ send }) => times(4, () => send(edit("red"))), 0, 0],
  ["from the fifth on they count, with one warning", ({ send }) => times(7, () => send(edit("red"))), 3, 1],
  ["different ones do not", ({ send }) => times(9, (i) => send(edit(`red ${i}`))), 0, 0],
  ["one between others begins anew", ({ send }) => times(9, (i) => send(edit(i === 4 ? "blue" : "red"))), 0, 0],
  ["other objects are apart", ({ send }) => times(8, (i) => send(edit("red", `a${i % 2}`))), 0, 0],
  [
    "one warning for the same fields of many objects",
    ({ send }) => times(3, (i) => times(5, () => send(edit("red", `a${i}`)))),
    3,
    1,
  ],
  [
    "a pause begins anew",
    async ({ send, clock }) => {
      for (let i = 0; i < 9; i++) {
        send(edit("red"));
        await clock.advance(300_001);
      }
    },
    0,
    0,
  ],
  [
    "patches count",
    ({ send }) =>
      times(5, () =>
        send(patch(configMaps, "shop/a", { type: "json", operations: [{ op: "add", path: "/data/a", value: "b" }] })),
      ),
    1,
    1,
  ],
  [
    "updates count, whatever their version",
    ({ send }) => times(5, (i) => send(update(configMaps, stored(String(i))))),
    1,
    1,
  ],
  [
    "applies that changed something count",
    ({ send }) => times(5, () => send(apply(configMaps, { metadata: { namespace: "shop", name: "a" } }))),
    1,
    1,
  ],
  [
    "applies that changed nothing do not",
    ({ send }) => times(9, () => send(apply(configMaps, { metadata: { namespace: "shop", name: "a" } }), stored("1"))),
    0,
    0,
  ],
  ["deletions do not", ({ send }) => times(9, () => send(remove(configMaps, "shop/a"))), 0, 0],
  [
    "refused writes do not",
    ({ writes }) => times(9, () => writes.note(edit("red") as Action, { status: "failed", error: new Error("no") })),
    0,
    0,
  ],
  [
    "dry runs do not",
    ({ send }) => times(9, () => send(update(configMaps, stored("1"), { options: { dryRun: true } }))),
    0,
    0,
  ],
] as readonly [string, (given: ReturnType<typeof newWrites>) => unknown, number, number][]) {
  test(fact, async () => {
    const given = newWrites();
    await work(given);
    expect([given.counted(), given.warnings.length]).toEqual([counts, warns]);
  });
}

test("the warning names the object and the fields that came back different", () => {
  const { send, warnings } = newWrites();
  times(5, () => send(edit("red"), stored("1", { color: "blue" })));
  expect(warnings).toEqual([
    {
      resource: "configmaps",
      object: "shop/a",
      fields: ['data.color: sent "red", the server has "blue"'],
      cause: "the server fills in or resets these fields",
      times: 5,
    },
  ]);
});

test("or what was sent, if the server took it and another writer changes it", () => {
  const { send, warnings } = newWrites();
  times(5, (i) => send(edit("red"), stored(String(i), { color: "red" })));
  expect(warnings).toMatchObject([{ fields: ['data.color: sent "red"'], cause: "another writer changes them back" }]);
});

test("memory is bounded, and a loop among many objects is seen all the same", () => {
  const { send, writes, counted } = newWrites();
  times(5, () => times(300, (i) => send(edit("red", `a${i}`))));
  expect(counted()).toBe(300);
  times(5000, (i) => send(edit("red", `b${i}`)));
  expect(writes.size).toBeLessThanOrEqual(1024);
});
