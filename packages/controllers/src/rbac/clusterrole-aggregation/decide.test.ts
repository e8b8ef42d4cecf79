import type { rbacv1 } from "@kubeloop/core/api";
import { actionsOf, type Plan } from "@kubeloop/core/contract";
import { clusterRoles } from "@kubeloop/core/resources";
import { newObject, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import type { Observed } from "./observe.ts";

type Rules = readonly rbacv1.PolicyRule[];
const rule = (verb: string, ...resources: readonly string[]): rbacv1.PolicyRule => ({ verbs: [verb], resources });
const hammer = [rule("hammer", "nails"), rule("hammer", "wedges")];
const chisel = [rule("chisel", "mortises")];
const saw = [rule("saw", "boards")];
const role = (name: string, rules?: Rules | null): rbacv1.ClusterRole =>
  stored({ ...newObject(clusterRoles, name), ...(rules === undefined ? {} : { rules: rules as Rules }) });
const combined = (rules?: Rules | null) => role("combined", rules);

/** What it plans for a role that has these rules: what is applied or written; undefined when nothing is. */
function written(has: Rules | null | undefined, selected: Observed["selected"], canApply = true): Rules | undefined {
  const decision = decide({ role: combined(has), selected, canApply });
  if (decision.kind !== "plan") throw new Error("asks");
  const [action] = actionsOf(decision);
  if (action?.type === "apply") return (action.object as unknown as rbacv1.ClusterRole).rules ?? [];
  return action?.type === "edit" ? ((action.patch as rbacv1.ClusterRole).rules ?? []) : undefined;
}

const same = undefined;
const facts = [
  ["removes rules that nobody grants any more", saw, [[role("hammer", hammer)]], hammer],
  ["removes all rules where nothing is selected", hammer, [[]], []],
  ["removes all rules where there are no selectors", hammer, [], []],
  [
    "puts the roles of a selector in the order of their names",
    [],
    [[role("hammer", hammer), role("chisel", chisel)]],
    [...chisel, ...hammer],
  ],
  ["goes selector by selector", [], [[role("saw", saw)], [role("chisel", chisel)]], [...saw, ...chisel]],
  [
    "takes each rule once",
    [],
    [[role("a", hammer), role("b", chisel), role("c", saw)], [role("d", saw)]],
    [...hammer, ...chisel, ...saw],
  ],
  ["takes a role once that two selectors match", [], [[role("a", hammer)], [role("a", hammer)]], hammer],
  ["takes a rule once that a role has twice", [], [[role("a", [...saw, ...saw])]], saw],
  ["does not take its own rules", saw, [[role("combined", saw), role("hammer", hammer)]], hammer],
  ["leaves a role alone that has its rules", hammer, [[role("hammer", hammer)]], same],
  ["leaves a role alone that has none and needs none", undefined, [[]], same],
  ["leaves a role alone that has an empty list and needs none", [], [[]], same],
  ["takes null for no rules", null, [[role("none", null)]], same],
  ["takes roles without rules for nothing", [], [[role("none")]], same],
  [
    "takes an empty list in a rule for one that is not there",
    [{ ...rule("saw", "boards"), apiGroups: [] }],
    [[role("saw", saw)]],
    same,
  ],
  ["takes another order of rules for other rules", [...hammer].reverse(), [[role("hammer", hammer)]], hammer],
  [
    "takes another order in a rule for another rule",
    [rule("hammer", "b", "a")],
    [[role("a", [rule("hammer", "a", "b")])]],
    [rule("hammer", "a", "b")],
  ],
  [
    "does not mix up the lists of a rule",
    [{ verbs: ["get"], resources: ["a"] }],
    [[role("a", [{ verbs: ["get"], nonResourceURLs: ["a"] }])]],
    [{ verbs: ["get"], nonResourceURLs: ["a"] }],
  ],
  [
    "does not mix up groups and resources",
    [{ verbs: ["get"], resources: ["a"] }],
    [[role("a", [{ verbs: ["get"], apiGroups: ["a"] }])]],
    [{ verbs: ["get"], apiGroups: ["a"] }],
  ],
  [
    "tells rules apart by the names they are for",
    [{ verbs: ["get"], resourceNames: ["a"] }],
    [[role("a", [{ verbs: ["get"], resourceNames: ["b"] }])]],
    [{ verbs: ["get"], resourceNames: ["b"] }],
  ],
  [
    "takes the rules of roles that are aggregated themselves",
    [],
    [[{ ...role("other", saw), aggregationRule: {} }]],
    saw,
  ],
  ["orders names as bytes, not as words", [], [[role("b", saw), role("B", hammer)]], [...hammer, ...saw]],
] satisfies readonly (readonly [string, Rules | null | undefined, Observed["selected"], Rules | undefined])[];

describe("the clusterrole aggregation", () => {
  test.each(facts)("%s", (_name, has, selected, expected) => expect(written(has, selected)).toEqual(expected));
  test.each(facts)("by an edit, %s", (_name, has, selected, expected) =>
    expect(written(has, selected, false)).toEqual(expected),
  );

  test("touches nothing while a selector cannot be read, and tries again", () => {
    const decision = decide({ role: combined(hammer), selected: [[], undefined], canApply: true }) as Plan;
    expect([decision.steps, decision.unfinished?.message]).toEqual([
      [],
      "a selector of ClusterRole combined cannot be read",
    ]);
  });

  test("applies with force, as upstream's manager, the rules and nothing else, to that very role", () => {
    const decision = decide({ role: combined(), selected: [[role("saw", saw)]], canApply: true }) as Plan;
    expect(actionsOf(decision)).toMatchObject([
      {
        type: "apply",
        force: true,
        fieldManager: "clusterrole-aggregation-controller",
        object: { metadata: { name: "combined", uid: combined().metadata.uid }, rules: saw },
        tolerates: ["UnsupportedMediaType"],
      },
    ]);
  });

  test("edits locked where the server has no apply", () => {
    const decision = decide({ role: combined(), selected: [[role("saw", saw)]], canApply: false }) as Plan;
    expect(actionsOf(decision)).toMatchObject([{ type: "edit", isLocked: true, patch: { rules: saw } }]);
  });
});
