// Pages of a list: how much there is left, and that they are of one state.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask } from "../../ask.fixture.ts";

const maps = "/api/v1/namespaces/default/configmaps";
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  for (let i = 0; i < 7; i++) {
    const labels = { half: i % 2 === 0 ? "even" : "odd" };
    await ask(server, maps, { method: "POST", value: { metadata: { name: `m-${i}`, labels } } });
  }
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

interface Page {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** All pages, as `names (left)`. */
async function pages(more: readonly (readonly [string, string])[] = [], between = async () => {}) {
  const told: string[] = [];
  const versions = new Set<string>();
  for (let token = ""; ; ) {
    const query = [["limit", "3"], ...more, ...(token === "" ? [] : [["continue", token] as const])] as const;
    const { object } = await ask<Page>(server, maps, { query });
    const names = object.items.map(({ metadata }) => metadata.name).join(" ");
    told.push(`${names} (${object.metadata.remainingItemCount ?? "nothing said"})`);
    versions.add(object.metadata.resourceVersion);
    token = object.metadata.continue ?? "";
    if (token === "") return { told, versions: versions.size };
    await between();
  }
}

test("each page says how many are left, and the last one nothing", async () => {
  expect(await pages()).toEqual({ told: ["m-0 m-1 m-2 (4)", "m-3 m-4 m-5 (1)", "m-6 (nothing said)"], versions: 1 });
});

test("of a selection nobody knows how many are left", async () => {
  const { told } = await pages([["labelSelector", "half=even"]]);
  expect(told).toEqual(["m-0 m-2 m-4 (nothing said)", "m-6 (nothing said)"]);
});

test("a page that is full says that there may be more, though nothing else matches", async () => {
  const { told } = await pages([["labelSelector", "half=odd"]]);
  expect(told).toEqual(["m-1 m-3 m-5 (nothing said)", " (nothing said)"]);
});

test("what happens between two pages is in neither", async () => {
  const { told, versions } = await pages([], async () => {
    await ask(server, `${maps}/m-5`, { method: "DELETE" });
    await ask(server, maps, { method: "POST", value: { metadata: { name: "m-55" } } });
  });
  expect(told.join(", ")).toBe("m-0 m-1 m-2 (4), m-3 m-4 m-5 (1), m-6 (nothing said)");
  expect(versions).toBe(1);
});
