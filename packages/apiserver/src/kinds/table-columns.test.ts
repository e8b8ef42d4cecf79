import { allResources, findResource, type Resource } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { columnsOf } from "./table-columns.ts";

const shown = (group: string, version: string, plural: string) =>
  columnsOf(findResource({ group, version, resource: plural }) as Resource).map(
    ({ name, priority }) => `${name} ${priority}`,
  );

test("pods have the columns kubectl shows, wide ones included", () => {
  expect(shown("", "v1", "pods")).toEqual([
    "Name 0",
    "Ready 0",
    "Status 0",
    "Restarts 0",
    "Age 0",
    "IP 1",
    "Node 1",
    "Nominated Node 1",
    "Readiness Gates 1",
  ]);
});

test("everything a default server lists has columns, its name first", () => {
  const listed = allResources().filter(({ servedByDefault, listKind }) => servedByDefault && listKind !== undefined);
  expect(listed.length).toBeGreaterThan(50);
  // Events begin with when they were last seen.
  const first = new Set(listed.map((resource) => columnsOf(resource)[0]?.name));
  expect([...first].sort()).toEqual(["Last Seen", "Name"]);
});
