// What fuzzing found to grow with the square of a body's size: each costs in proportion now.
import "@kubeloop/counted-work";
import { type ApiRequest, collectBytes } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expectLinearWork } from "@kubeloop/counted-work";
import { afterEach, beforeEach, describe, test } from "vitest";
import { ApiServer } from "../../api-server.ts";

const clock = new FakeClock();
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock, random: seededRandom(1) });
});
afterEach(() => server[Symbol.asyncDispose]());

async function ask({ method, path, text, type = "application/json" }: Asked): Promise<void> {
  const body = { kind: "bytes", bytes: Buffer.from(text) } as const;
  const request: ApiRequest = { method, path, query: [], headers: { "content-type": type }, body, prefers: "bytes" };
  const response = await clock.drive(server.transport(request, new AbortController().signal));
  if (response.body.kind === "bytes") await collectBytes(response.body.bytes, { maxBytes: 1e7 });
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly type?: string;
}

const maps = "/api/v1/namespaces/default/configmaps";
const post = (path: string, object: object) => ask({ method: "POST", path, text: JSON.stringify(object) });

describe("what is large costs its share", () => {
  const owner = (i: number) => ({ apiVersion: "v1", kind: "Pod", name: `p-${i}`, uid: `u-${i}` });
  const env = (count: number, value: string) => Array.from({ length: count }, (_, i) => ({ name: `V${i}`, value }));
  const spec = (count: number, value: string) => ({
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i", env: env(count, value) }] },
    },
  });
  const deployments = "/apis/apps/v1/namespaces/default/deployments";

  for (const [fact, prepare, attack] of [
    [
      "owners",
      async () => {},
      (count: number) =>
        post(maps, {
          metadata: { name: `o-${count}`, ownerReferences: Array.from({ length: count }, (_, i) => owner(i)) },
        }),
    ],
    [
      "elements of a list that is merged",
      (count: number) => post(deployments, { metadata: { name: `d-${count}` }, spec: spec(count, "1") }),
      (count: number) =>
        ask({
          method: "PATCH",
          path: `${deployments}/d-${count}`,
          text: JSON.stringify({ spec: spec(count, "2") }),
          type: "application/strategic-merge-patch+json",
        }),
    ],
    [
      "keys that come twice below a long name",
      () => post(maps, { metadata: { name: "twice" } }),
      (count: number) => {
        const pairs = Array.from({ length: count }, (_, i) => `"a${i}":1,"a${i}":1`).join(",");
        const text = `{"${"x".repeat(20 * count)}":{${pairs}}}`;
        return ask({ method: "PATCH", path: `${maps}/twice`, text, type: "application/merge-patch+json" });
      },
    ],
    [
      "a map that comes in parts",
      async () => {},
      (count: number) => {
        const data = Array.from({ length: count }, (_, i) => `"k${i}":""`).join(",");
        const parts = Array.from({ length: count }, (_, i) => `"data":{"p${i}":""}`).join(",");
        return ask({
          method: "POST",
          path: maps,
          text: `{"metadata":{"generateName":"p-"},"data":{${data}},${parts}}`,
        });
      },
    ],
    [
      "managers that a client brings",
      async () => {},
      (count: number) => {
        const entry = { operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
        const managedFields = Array.from({ length: count }, (_, i) => ({
          ...{ ...entry, manager: `m${i}`, time: "2020-01-01T00:00:00Z" },
          fieldsV1: { "f:data": { [`f:old-${i}`]: {} } },
        }));
        const data = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, ""]));
        return post(maps, { metadata: { generateName: "m-", managedFields }, data });
      },
    ],
    [
      "unknown fields below a long name",
      async () => {},
      (count: number) => {
        const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`u${i}`, 1]));
        const properties = { ["\u4e00".repeat(20 * count)]: unknown };
        const version = {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties } },
        };
        const names = { plural: "ds", singular: "d", kind: "D", listKind: "DList" };
        const spec = { group: "x.y", names, scope: "Namespaced", versions: [version] };
        return post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { metadata: { name: "ds.x.y" }, spec });
      },
    ],
  ] as const) {
    test(fact, () =>
      expectLinearWork(1_000, async (count) => {
        await prepare(count);
        await attack(count);
      }),
    );
  }
});
