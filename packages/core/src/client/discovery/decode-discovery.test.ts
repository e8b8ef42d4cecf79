import { describe, expect, test } from "vitest";
import { decodeGroups, decodeResourceList, decodeServerVersion } from "./decode-discovery.ts";
import { toResources } from "./to-resources.ts";

describe("groups", () => {
  const listed = { kind: "listed", entries: [] };
  const elsewhere = { kind: "elsewhere" };
  for (const [fact, json, expected] of [
    ["no groups at all", { kind: "APIGroupDiscoveryList", items: null }, []],
    [
      "a group without versions is still a group",
      { kind: "APIGroupDiscoveryList", items: [{ metadata: { name: "empty.example.com" } }] },
      [{ name: "empty.example.com", versions: [], preferredVersion: undefined }],
    ],
    [
      "a group without metadata is the core group",
      { kind: "APIGroupDiscoveryList", items: [{ versions: [{ version: "v1" }] }] },
      [{ name: "", versions: [{ version: "v1", contents: listed }], preferredVersion: undefined }],
    ],
    [
      "v2beta1 looks the same",
      {
        kind: "APIGroupDiscoveryList",
        apiVersion: "apidiscovery.k8s.io/v2beta1",
        items: [{ metadata: { name: "a" }, versions: [{ version: "v1", freshness: "Stale", resources: [{}] }] }],
      },
      [{ name: "a", versions: [{ version: "v1", contents: { kind: "stale" } }], preferredVersion: undefined }],
    ],
    [
      "a version without a name, and what is no object, is passed over",
      { items: [{ metadata: { name: "a" }, versions: [{ freshness: "Current" }, "v1", null] }, 7] },
      [{ name: "a", versions: [], preferredVersion: undefined }],
    ],
    [
      "/api in the legacy form",
      { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] },
      [{ name: "", versions: [{ version: "v1", contents: elsewhere }], preferredVersion: undefined }],
    ],
    ["/api without versions", { kind: "APIVersions", versions: [] }, []],
    [
      "/apis in the legacy form, versions named in either way",
      {
        groups: [
          {
            name: "a",
            versions: [{ groupVersion: "a/v1beta1" }, { version: "v1" }, {}],
            preferredVersion: { groupVersion: "a/v1" },
          },
        ],
      },
      [
        {
          name: "a",
          versions: [
            { version: "v1beta1", contents: elsewhere },
            { version: "v1", contents: elsewhere },
          ],
          preferredVersion: "v1",
        },
      ],
    ],
  ] as const) {
    test(fact, () => expect(decodeGroups(json)).toEqual(expected));
  }

  for (const [json, said] of [
    [{ kind: "PodList", items: [] }, "got PodList"],
    [{}, "got an object without kind"],
    [[], "got a list"],
    [null, "got null"],
    ["<html>", "got a string"],
  ] as const) {
    test(`${JSON.stringify(json)} is no list of groups`, () => expect(() => decodeGroups(json)).toThrow(said));
    test(`${JSON.stringify(json)} is no list of resources`, () =>
      expect(() => decodeResourceList(json)).toThrow(`must be a list of API resources, ${said}`));
  }
});

describe("resources", () => {
  const read = (...resources: readonly unknown[]) =>
    toResources({ group: "example.com", version: "v1" }, decodeResourceList({ kind: "APIResourceList", resources }));
  const widgets = { name: "widgets", singularName: "widget", namespaced: true, kind: "Widget", verbs: ["get", "list"] };

  test("a line becomes a resource of the same shape as the built-in ones", () => {
    expect(read({ ...widgets, shortNames: ["wd"], categories: ["all"], storageVersionHash: "x", unknown: 1 })).toEqual([
      {
        ...{ group: "example.com", version: "v1", apiVersion: "example.com/v1", kind: "Widget", plural: "widgets" },
        ...{ singular: "widget", shortNames: ["wd"], categories: ["all"], namespaced: true, verbs: ["get", "list"] },
        ...{ subresources: [], listKind: "WidgetList", schemaName: undefined, servedByDefault: true },
      },
    ]);
  });

  for (const [fact, lines, expected] of [
    [
      "without anything but name and kind",
      [{ name: "widgets", kind: "Widget" }],
      { singular: "widget", namespaced: false, verbs: [], shortNames: [], categories: [], listKind: undefined },
    ],
    [
      "with fields of the wrong type",
      [{ ...widgets, namespaced: "yes", verbs: "get", shortNames: [1, "", "wd", "wd"], categories: null }],
      { namespaced: false, verbs: [], shortNames: ["wd"], categories: [] },
    ],
    [
      "listed in the name of another group",
      [{ ...widgets, group: "old.example.com", version: "v7" }],
      { group: "example.com", version: "v1", apiVersion: "example.com/v1" },
    ],
    ["listed twice: the first counts", [widgets, { ...widgets, kind: "Gadget" }], { kind: "Widget" }],
    [
      "a status of its own kind",
      [widgets, { name: "widgets/status", kind: "Widget", verbs: ["get"] }],
      { subresources: [{ name: "status", group: "example.com", version: "v1", kind: "Widget", verbs: ["get"] }] },
    ],
    [
      "a subresource listed before it, with a kind of another group",
      [{ name: "widgets/scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get"] }, widgets],
      { subresources: [{ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get"] }] },
    ],
    [
      "a subresource that answers with no object, listed twice",
      [widgets, { name: "widgets/exec", verbs: ["create"] }, { name: "widgets/exec", verbs: ["get"] }],
      { subresources: [{ name: "exec", group: "example.com", version: "v1", kind: "", verbs: ["create"] }] },
    ],
  ] as const) {
    test(fact, () => {
      const found = read(...lines);
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject(expected);
    });
  }

  test("what has no kind of its own, or no name, is no resource", () => {
    expect(read({ name: "consoles/open", kind: "Open" }, { kind: "Nameless" }, { name: "kindless" }, null)).toEqual([]);
  });

  test("the aggregated form without response kinds", () => {
    const [group] = decodeGroups({
      items: [
        {
          metadata: { name: "example.com" },
          versions: [
            {
              version: "v1",
              resources: [
                { resource: "consoles", responseKind: null, subresources: [{ subresource: "open", verbs: ["get"] }] },
                { resource: "widgets", responseKind: { kind: "Widget" }, subresources: [{ verbs: [] }] },
                {},
              ],
            },
          ],
        },
      ],
    });
    const contents = group?.versions[0]?.contents;
    const entries = contents?.kind === "listed" ? contents.entries : [];
    expect(entries.map((entry) => entry.name)).toEqual(["consoles", "consoles/open", "widgets"]);
    expect(toResources({ group: "example.com", version: "v1" }, entries)).toMatchObject([{ kind: "Widget" }]);
  });

  test("a built-in's place with another kind is not the built-in", () => {
    const place = { group: "", version: "v1" };
    const line = (kind: string) => decodeResourceList({ resources: [{ name: "pods", kind, verbs: ["list"] }] });
    expect(toResources(place, line("Pod"))).toMatchObject([{ schemaName: "io.k8s.api.core.v1.Pod" }]);
    expect(toResources(place, line("Seal"))).toMatchObject([{ listKind: "SealList", schemaName: undefined }]);
  });

  test("names that objects inherit are ordinary names", () => {
    expect(read({ name: "constructor", kind: "toString", verbs: ["list"] })).toMatchObject([
      { plural: "constructor", kind: "toString", listKind: "toStringList" },
    ]);
  });
});

test("a version with what is there", () => {
  expect(decodeServerVersion({ major: "1", minor: "36+", gitVersion: "v1.36.4", extra: true })).toMatchObject({
    ...{ major: "1", minor: "36+", gitVersion: "v1.36.4", platform: "" },
  });
  expect(() => decodeServerVersion(undefined)).toThrow("must be a version, got a undefined");
});
