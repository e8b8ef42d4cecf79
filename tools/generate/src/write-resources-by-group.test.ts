import { describe, expect, test } from "vitest";
import { decodeDiscovery } from "./discovery.ts";
import { readInputs } from "./inputs.ts";
import { decodeOpenApi } from "./openapi.ts";
import { type ResourceRow, resourceRows } from "./resource-rows.ts";
import { groupNames, writeResourcesByGroup } from "./write-resources-by-group.ts";

describe("groups are named", () => {
  for (const [fact, groups, expected] of [
    ["core where there is no name", [""], ["core"]],
    ["by their first word", ["rbac.authorization.k8s.io", "apps"], ["rbac", "apps"]],
    ["by all words where the first is taken", ["apps", "apps.example.com"], ["apps", "appsExampleCom"]],
    ["as one word where it has dashes", ["cert-manager.io"], ["certManager"]],
  ] as const) {
    test(fact, () => expect([...groupNames(groups).values()]).toEqual(expected));
  }
});

test("client-go's groups have client-go's names", async () => {
  const inputs = await readInputs();
  const rows = resourceRows(decodeOpenApi(inputs.openapi), decodeDiscovery(inputs.discovery));
  const text = writeResourcesByGroup(rows);
  const groups = [...text.matchAll(/^ {2}readonly (\w+): \{$/gm)].map((match) => match[1]).sort();
  expect(groups).toEqual([
    ...["admissionregistration", "apiextensions", "apiregistration", "apps", "autoscaling", "batch", "certificates"],
    ...["coordination", "core", "discovery", "events", "flowcontrol", "internal", "networking", "node", "policy"],
    ...["rbac", "resource", "scheduling", "storage", "storagemigration"],
  ]);
});

const row = (version: string, kind: string, verbs: readonly string[] = ["get", "list", "watch"]): ResourceRow => ({
  group: "toys.k8s.io",
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs,
  subresources: [],
  listKind: `${kind}List`,
  schemaName: undefined,
  servedByDefault: true,
});

describe("resources", () => {
  test("stand below their group and version, best version first, without what told versions apart", () => {
    const text = writeResourcesByGroup([row("v1beta1", "Top"), row("v1", "Top"), row("v1", "SpinningTop")]);
    expect(text).toContain(`export const resourcesByGroup: ResourcesByGroup = {
  toys: {
    v1: {
      tops: all.tops,
      spinningTops: all.spinningTops,
    },
    v1beta1: {
      tops: all.topsV1beta1,
    },
  },
};
`);
    expect(text).toContain("      readonly tops: typeof all.topsV1beta1;\n");
  });

  test("that cannot be listed and watched are left out", () => {
    const text = writeResourcesByGroup([row("v1", "Top"), row("v1", "Review", ["create"]), row("v1", "Old", ["list"])]);
    expect(text).not.toMatch(/reviews|olds/);
  });
});
