// A write yields between its steps when they take long: others have their turn, and what they write meanwhile is not lost.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask } from "../../ask.fixture.ts";

/** On which every look takes `stepMs`. */
class WornClock extends FakeClock {
  stepMs = 0;
  yields = 0;
  #lostMs = 0;

  override monotonic(): number {
    this.#lostMs += this.stepMs;
    return super.monotonic() + this.#lostMs;
  }

  override async yield(): Promise<void> {
    this.yields++;
    await super.yield();
  }
}

const maps = "/api/v1/namespaces/default/configmaps";
const changes = [
  ["a create", { method: "POST", path: maps, value: { metadata: { name: "b" } } }],
  ["an update", { method: "PUT", path: `${maps}/a`, value: { metadata: { name: "a" }, data: { k: "w" } } }],
  [
    "a merge patch",
    { method: "PATCH", path: `${maps}/a`, type: "application/merge-patch+json", value: { data: { k: "w" } } },
  ],
] as const;

const open = async () => {
  const clock = new WornClock();
  const server = await ApiServer.open({ clock, random: seededRandom(1) });
  await ask(server, maps, { method: "POST", value: { metadata: { name: "a" }, data: { k: "v" } } });
  clock.yields = 0;
  return { clock, server };
};

for (const [fact, { path, ...request }] of changes) {
  test(`${fact} yields after each step that took long, and never where none did`, async () => {
    const { clock, server } = await open();
    await using _server = server;
    await ask(server, path, { ...request, query: [["dryRun", "All"]] });
    expect(clock.yields).toBe(0);
    clock.stepMs = 5;
    const { code } = await ask(server, path, request);
    expect(code).toBeLessThan(300);
    expect(clock.yields).toBeGreaterThanOrEqual(4);
  });
}

test("what others write while an update yields is not lost", async () => {
  const { clock, server } = await open();
  await using _server = server;
  clock.stepMs = 5;
  const type = "application/merge-patch+json";
  const patches = Array.from({ length: 5 }, (_, i) =>
    ask(server, `${maps}/a`, { method: "PATCH", type, value: { data: { [`k${i}`]: "v" } } }),
  );
  await Promise.all(patches);
  const { object } = await ask<{ data: Record<string, string> }>(server, `${maps}/a`);
  expect(Object.keys(object.data)).toEqual(["k", "k0", "k1", "k2", "k3", "k4"]);
});
