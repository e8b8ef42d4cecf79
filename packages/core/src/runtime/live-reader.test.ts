import { describe, expect, test } from "vitest";
import { nodes, pods } from "../api/generated/resources.ts";
import { newNotFound, newStatusError, type Transport, valueResponse } from "../api/index.ts";
import { clientOf } from "../client/index.ts";
import { listingReader, liveReader } from "./live-reader.ts";

const signal = new AbortController().signal;

function newServer(items: readonly object[]) {
  const asked: string[] = [];
  const transport: Transport = async ({ method, path, query }) => {
    asked.push(`${method} ${path}${query.map(([name, value]) => ` ${name}=${value}`).join("")}`);
    const metadata = { resourceVersion: "7" };
    if (/\/(?:pods|nodes)$/.test(path))
      return valueResponse(200, { kind: "PodList", apiVersion: "v1", metadata, items });
    if (items[0] !== undefined) return valueResponse(200, items[0]);
    const { status } = newNotFound({ group: "", resource: "pods" }, "a");
    return valueResponse(404, status);
  };
  return { asked, client: clientOf(transport) };
}
const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "a" } };

describe.each([
  ["a reader", liveReader, ["GET /api/v1/namespaces/shop/pods/a"], ["GET /api/v1/nodes/n"]],
  [
    "one that may only list",
    listingReader,
    ["GET /api/v1/namespaces/shop/pods fieldSelector=metadata.name=a"],
    ["GET /api/v1/nodes fieldSelector=metadata.name=n"],
  ],
] as const)("%s", (_name, readerOf, podRequest, nodeRequest) => {
  test("reads one object", async () => {
    const { asked, client } = newServer([pod]);
    const found = await readerOf(client).get(pods, "shop/a", "full", signal);
    expect(found?.metadata.name).toBe("a");
    expect(asked.map(withoutLimit)).toEqual(podRequest);
  });

  test("reads one without a namespace", async () => {
    const { asked, client } = newServer([{ ...pod, metadata: { name: "n" } }]);
    await readerOf(client).get(nodes, "n", "metadata", signal);
    expect(asked.map(withoutLimit)).toEqual(nodeRequest);
  });

  test("answers undefined for what is not there, and throws what else goes wrong", async () => {
    expect(await readerOf(newServer([]).client).get(pods, "shop/a", "full", signal)).toBeUndefined();
    const refused = clientOf(async () => {
      throw newStatusError({ code: 403, reason: "Forbidden", message: "no" });
    });
    await expect(readerOf(refused).get(pods, "shop/a", "full", signal)).rejects.toThrow("no");
  });
});

/** Lists are read in pages. */
const withoutLimit = (request: string) => request.replace(/ limit=\d+/, "");
