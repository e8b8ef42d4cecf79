// What is made of a catalogue follows it: each server's own, and made anew only when the catalogue changed.
import { FakeClock, seededRandom, systemClock } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiServer } from "../api-server.ts";
import { type Asked, ask, requestFor } from "../ask.fixture.ts";
import { Catalogue } from "../resources/registry/catalogue.ts";
import { builtInResource } from "../resources/registry/served-resource.ts";
import {
  convertedWidgets,
  countedConversions,
  openApiPath,
  storedWidgets,
  widget,
  widgetsPath,
} from "../resources/widgets.fixture.ts";
import { DiscoveryDocuments } from "./discovery-documents.ts";
import { OpenApiDocuments } from "./openapi-documents.ts";
import { perGeneration } from "./per-generation.ts";

const never = new AbortController().signal;
let servers: ApiServer[];
beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
});

async function open(): Promise<ApiServer> {
  const server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  servers.push(server);
  return server;
}

async function textOf(server: ApiServer, path: string, asked?: Asked): Promise<string> {
  await using response = await server.transport(requestFor(path, asked, "bytes"), never);
  const { status, headers, body } = response;
  const chunks: Uint8Array[] = [];
  if (body.kind === "bytes") for await (const chunk of body.bytes) chunks.push(chunk);
  const { etag = "" } = headers as { readonly etag?: string };
  return `${status} ${etag} ${Buffer.concat(chunks).toString("utf8")}`;
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const widgets = { group: "example.com", version: "v1", plural: "widgets" };
const deployments = { group: "apps", version: "v1", plural: "deployments" };

describe("a document of the server whose catalogue changed", () => {
  for (const [fact, path, accept, added] of [
    ["the list of groups", "/apis", "application/json", '"example.com/v1"'],
    ["aggregated discovery", "/apis", aggregated, '"resource":"widgets"'],
    ["the document of a group", "/apis/example.com", "application/json", '"example.com/v1"'],
    ["the list of resources", "/apis/example.com/v1", "application/json", '"shortNames":["wd"]'],
    ["the list of resources as YAML", "/apis/example.com/v1", "application/yaml", "- wd"],
    ["the index of paths", "/", "application/json", '"/apis/example.com/v1"'],
    ["the index of OpenAPI", "/openapi/v3", "application/json", '"apis/example.com/v1"'],
    ["the OpenAPI document", "/openapi/v3/apis/example.com/v1", "application/json", openApiPath],
    [
      "the counts of objects",
      "/metrics",
      "*/*",
      'apiserver_resource_objects{group="example.com",resource="widgets"} 0',
    ],
  ] as const) {
    test(`follows it, and another server's does not: ${fact}`, async () => {
      const [changed, other] = [await open(), await open()];
      const asked = { headers: { accept } };
      const [before, otherBefore] = [await textOf(changed, path, asked), await textOf(other, path, asked)];
      expect(before).not.toContain(added);
      changed.catalogue.add([storedWidgets()]);
      expect(await textOf(changed, path, asked)).toContain(added);
      const sample = (text: string) => text.split("\n").filter((line) => !line.startsWith("apiserver_request"));
      expect(sample(await textOf(other, path, asked))).toEqual(sample(otherBefore));
      changed.catalogue.remove([widgets]);
      expect(sample(await textOf(changed, path, asked))).toEqual(sample(before));
    });
  }

  test("names a version that is served no longer as not found, like every other", async () => {
    const server = await open();
    server.catalogue.add([storedWidgets(), convertedWidgets(countedConversions())]);
    server.catalogue.remove([{ ...widgets, version: "v2" }]);
    expect((await ask(server, "/apis/example.com/v1")).code).toBe(200);
    expect((await ask(server, "/apis/example.com/v2")).code).toBe(404);
    server.catalogue.remove([widgets]);
    expect(await textOf(server, "/apis/example.com")).toContain("404 page not found");
  });

  test("describes a built-in resource no longer once it is removed, and the others as before", async () => {
    const server = await open();
    const path = "/openapi/v3/apis/apps/v1";
    const before = await textOf(server, path);
    const found = server.catalogue.find(deployments);
    server.catalogue.remove([deployments]);
    const after = await textOf(server, path);
    const pathsIn = (text: string) =>
      Object.keys((JSON.parse(text.slice(text.indexOf("{"))) as { readonly paths: object }).paths);
    expect(pathsIn(after)).toEqual(pathsIn(before).filter((each) => !each.split("/").includes("deployments")));
    expect(pathsIn(after).length).toBeLessThan(pathsIn(before).length);
    server.catalogue.add([
      builtInResource((found as NonNullable<typeof found>).resource, (found as NonNullable<typeof found>).rules, {
        columns: () => [],
      }),
    ]);
    expect(await textOf(server, path)).toBe(before);
  });

  test("is of a group no longer that has lost all its resources", async () => {
    const server = await open();
    server.catalogue.remove(
      server.catalogue.all().flatMap(({ resource }) => (resource.group === "policy" ? [resource] : [])),
    );
    const index = await textOf(server, "/openapi/v3");
    expect([index.includes('"apis/policy"'), index.includes('"apis/policy/v1"')]).toEqual([false, false]);
    expect([index.includes('"apis/apps"'), index.includes('"version"')]).toEqual([true, true]);
  });
});

describe("while the generation stands", () => {
  test("something is made once", () => {
    const catalogue = new Catalogue([storedWidgets()]);
    let made = 0;
    const current = perGeneration(catalogue, () => ++made);
    expect([current(), current()]).toEqual([1, 1]);
    catalogue.remove([widgets]);
    expect([current(), current(), made]).toEqual([2, 2, 2]);
  });

  test("documents of discovery are the same bytes, and the catalogue is read once", () => {
    const catalogue = new Catalogue([storedWidgets()]);
    const reads = vi.spyOn(catalogue, "all");
    const documents = new DiscoveryDocuments(catalogue);
    const all = () => [
      documents.aggregated(true),
      documents.aggregated(false),
      documents.groupList(),
      documents.group("example.com"),
      documents.resources("example.com", "v1"),
    ];
    const first = all();
    for (const [i, document] of all().entries()) expect(document).toBe(first[i]);
    expect(reads).toHaveBeenCalledTimes(1);
    catalogue.add([convertedWidgets(countedConversions())]);
    for (const [i, document] of all().entries()) expect(document).not.toBe(first[i]);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  test("documents of OpenAPI are the same, also for many who ask at once", async () => {
    const catalogue = new Catalogue([storedWidgets()]);
    const reads = vi.spyOn(catalogue, "all");
    const documents = new OpenApiDocuments(catalogue, systemClock);
    const [first, second] = await Promise.all([documents.all(), documents.all()]);
    expect([first === second, first === (await documents.all())]).toEqual([true, true]);
    expect(reads).toHaveBeenCalledTimes(1);
    catalogue.add([convertedWidgets(countedConversions())]);
    const third = await documents.all();
    expect([third === first, third.has("apis/example.com/v2"), first.has("apis/example.com/v2")]).toEqual([
      false,
      true,
      false,
    ]);
    expect(reads).toHaveBeenCalledTimes(2);
  });
});

test("a resource that is removed is counted no longer, though its objects stay", async () => {
  const server = await open();
  server.catalogue.add([storedWidgets()]);
  await ask(server, widgetsPath, { method: "POST", value: widget("a") });
  const series = 'apiserver_resource_objects{group="example.com",resource="widgets"}';
  expect(await textOf(server, "/metrics")).toContain(`${series} 1`);
  server.catalogue.remove([widgets]);
  expect(await textOf(server, "/metrics")).not.toContain(series);
  server.catalogue.add([storedWidgets()]);
  expect(await textOf(server, "/metrics")).toContain(`${series} 1`);
});
