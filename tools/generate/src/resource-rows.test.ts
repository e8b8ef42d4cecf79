import { expect, test } from "vitest";
import { decodeDiscovery } from "./discovery.ts";
import { readInputs } from "./inputs.ts";
import { decodeOpenApi } from "./openapi.ts";
import { resourceRows, resourcesInPaths } from "./resource-rows.ts";
import { constantNames } from "./write-resources.ts";

const inputs = await readInputs();
const openApi = decodeOpenApi(inputs.openapi);
const discovered = decodeDiscovery(inputs.discovery);
const rows = resourceRows(openApi, discovered);

test("the paths tell the same as discovery, short names and categories aside", () => {
  const byPlace = (all: typeof discovered) =>
    new Map(
      all.map((one) => [`${one.group}/${one.version}/${one.plural}`, { ...one, shortNames: [], categories: [] }]),
    );
  const inPaths = byPlace(resourcesInPaths(openApi.operations));
  for (const [place, resource] of byPlace(discovered)) expect(inPaths.get(place), place).toEqual(resource);
});

test("every row has a schema, and a list kind if it can be listed", () => {
  expect(rows.filter((row) => row.schemaName === undefined)).toEqual([]);
  expect(rows.filter((row) => row.verbs.includes("list") && row.listKind === undefined)).toEqual([]);
});

test("discovery's rows come first, in its order", () => {
  expect(rows.length).toBeGreaterThan(discovered.length);
  expect(rows.slice(0, discovered.length).map((row) => row.plural)).toEqual(discovered.map((one) => one.plural));
  expect(rows.every((row, i) => row.servedByDefault === i < discovered.length)).toBe(true);
});

test("every row has a name of its own", () => {
  expect(new Set(constantNames(rows).values()).size).toBe(rows.length);
});

for (const [group, version, plural, name] of [
  ["", "v1", "events", "events"],
  ["events.k8s.io", "v1", "events", "eventsEvents"],
  ["autoscaling", "v2", "horizontalpodautoscalers", "horizontalPodAutoscalers"],
  ["autoscaling", "v1", "horizontalpodautoscalers", "horizontalPodAutoscalersV1"],
  ["scheduling.k8s.io", "v1alpha2", "podgroups", "podGroupsV1alpha2"],
  ["coordination.k8s.io", "v1beta1", "leasecandidates", "leaseCandidatesV1beta1"],
] as const) {
  test(`${plural} of ${group || "core"} ${version} is named ${name}`, () => {
    const row = rows.find((one) => one.group === group && one.version === version && one.plural === plural);
    expect(row && constantNames(rows).get(row)).toBe(name);
  });
}
