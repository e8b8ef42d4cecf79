import { expect, test } from "vitest";
import type { KubernetesObject } from "../../api/index.ts";
import { ReportedObjects } from "./reported-objects.ts";

const object = (name: string, resourceVersion?: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
});

for (const [fact, before, now, expected] of [
  ["what they have never heard of is an add", undefined, object("a", "1"), "add"],
  ["another version is an update", object("a", "1"), object("a", "2"), "update"],
  ["the same version is nothing", object("a", "1"), object("a", "1"), "nothing"],
  ["without a version nobody can tell: an update", object("a"), object("a"), "update"],
] as const) {
  test(fact, () => {
    const told = new ReportedObjects();
    if (before !== undefined) told.take(before);
    expect(told.take(now)).toBe(expected);
  });
}

test("a going is news once", () => {
  const told = new ReportedObjects();
  told.take(object("a", "1"));
  expect([told.drop("a"), told.drop("a")]).toEqual([true, false]);
  expect(told.take(object("a", "2"))).toBe("add");
});

test("what a cache does not have any more is known", () => {
  const told = new ReportedObjects();
  told.take(object("a", "1"));
  told.take(object("b", "1"));
  const cache = { getByKey: (key: string) => (key === "a" ? object("a") : undefined) };
  expect(told.missingFrom(cache).map(({ metadata }) => metadata.name)).toEqual(["b"]);
});
