import { keyOf, type metav1, newStatusError, type rbacv1 } from "@kubeloop/core/api";
import { apply, plan } from "@kubeloop/core/contract";
import { clusterRoles } from "@kubeloop/core/resources";
import { newObject, outcomeOf, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { rolesThatSelect } from "./indexes.ts";
import { ApplySupport, learn } from "./model.ts";
import { observe } from "./observe.ts";

type Labels = Readonly<Record<string, string>>;
const role = (name: string, labels?: Labels, selectors?: readonly metav1.LabelSelector[]): rbacv1.ClusterRole =>
  stored({
    ...newObject(clusterRoles, name, { metadata: labels === undefined ? {} : { labels } }),
    ...(selectors === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selectors } }),
  });
const a = role("a", { to: "view", team: "x" });
const b = role("b", { to: "view", team: "y" });
const c = role("c", { to: "edit" });
const plain = role("plain");
const roles = [a, b, c, plain];

function selectedBy(...selectors: readonly metav1.LabelSelector[]) {
  const combined = role("combined", {}, selectors);
  const snapshot = plainSnapshot([[clusterRoles, [...roles, combined]]]);
  const seen = observe("combined", { snapshot, model: new ApplySupport(), nowMs: 0 });
  return seen?.selected.map((each) => each?.map(({ metadata }) => metadata.name).toSorted());
}
const where = (key: string, operator: string, ...values: readonly string[]): metav1.LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values }) }],
});

describe("a selector finds", () => {
  for (const [name, selectors, expected] of [
    ["roles by a label", [{ matchLabels: { to: "view" } }], [["a", "b"]]],
    ["roles by two labels", [{ matchLabels: { to: "view", team: "y" } }], [["b"]]],
    ["none by a label that none has", [{ matchLabels: { to: "nobody" } }], [[]]],
    ["roles by one of several values", [where("to", "In", "view", "edit", "view")], [["a", "b", "c"]]],
    ["roles by a label and an expression", [{ matchLabels: { to: "view" }, ...where("team", "NotIn", "x") }], [["b"]]],
    ["roles that have a label", [where("team", "Exists")], [["a", "b"]]],
    ["roles that do not, itself among them", [where("to", "DoesNotExist")], [["combined", "plain"]]],
    ["all where it is empty", [{}], [["a", "b", "c", "combined", "plain"]]],
    ["its own, beside the others'", [{ matchLabels: { to: "edit" } }, { matchLabels: { team: "x" } }], [["c"], ["a"]]],
    [
      "nothing known where it cannot be read",
      [where("to", "Sometimes"), { matchLabels: { to: "edit" } }],
      [undefined, ["c"]],
    ],
    ["nothing where there is none", [], []],
  ] satisfies readonly (readonly [string, readonly metav1.LabelSelector[], unknown])[]) {
    test(name, () => expect(selectedBy(...selectors)).toEqual(expected));
  }
});

describe("nothing is looked at", () => {
  const snapshot = plainSnapshot([[clusterRoles, [a, { ...b, aggregationRule: null as never }]]]);
  for (const [name, key] of [
    ["for a role that is gone", "none"],
    ["for a role without an aggregationRule", "a"],
    ["for a role with null for an aggregationRule", "b"],
  ] as const) {
    test(name, () => expect(observe(key, { snapshot, model: new ApplySupport(), nowMs: 0 })).toBeUndefined());
  }
});

describe("a change wakes", () => {
  const view = role("view", {}, [{ matchLabels: { to: "view" } }]);
  const edit = role("edit", { to: "admin" }, [where("to", "In", "edit", "view")]);
  const admin = role("admin", {}, [where("to", "In", "admin")]);
  const broken = role("broken", {}, [where("to", "Sometimes")]);
  const snapshot = plainSnapshot([[clusterRoles, [...roles, view, edit, admin, broken]]]);
  const woken = (object: rbacv1.ClusterRole, before?: rbacv1.ClusterRole) => {
    const change =
      before === undefined
        ? ({ type: "add", isInitial: false, object } as const)
        : ({ type: "update", before, object } as const);
    return [...new Set(rolesThatSelect.keysOf({ ...change, resource: clusterRoles }, snapshot))].toSorted();
  };
  for (const [name, object, before, expected] of [
    ["all that select the role", a, undefined, ["edit", "view"]],
    ["none that do not", c, undefined, ["edit"]],
    ["nobody for a role that nobody selects", plain, undefined, []],
    ["who selects a role that is aggregated itself", edit, undefined, ["admin"]],
    ["who selected the role before", { ...a, metadata: plain.metadata }, a, ["edit", "view"]],
  ] satisfies readonly (readonly [string, rbacv1.ClusterRole, rbacv1.ClusterRole | undefined, readonly string[]])[]) {
    test(name, () => expect(woken(object, before)).toEqual(expected));
  }
});

describe("server-side apply", () => {
  const action = apply(clusterRoles, { metadata: { name: "a" } });
  const seen = { role: a, selected: [], canApply: true };
  const learned = (status: "done" | "tolerated" | "failed") => {
    const model = new ApplySupport();
    const error = newStatusError({ code: 415, reason: "UnsupportedMediaType", message: "no" });
    const outcome = outcomeOf(plan("apply", [[action]]), () =>
      status === "done" ? { status, value: a } : { status, error },
    );
    const wakes = learn(model, seen, { nowMs: 0, answer: () => undefined, outcome });
    return { canApply: model.canApply, wakes };
  };
  test("is thought to be there", () => expect(new ApplySupport().canApply).toBe(true));
  test("is there when it was done", () => expect(learned("done")).toEqual({ canApply: true, wakes: [] }));
  test("may be there after another failure", () => expect(learned("failed")).toEqual({ canApply: true, wakes: [] }));
  test("is not there when the server does not know it, and the role is looked at again", () =>
    expect(learned("tolerated")).toEqual({ canApply: false, wakes: [keyOf(a)] }));
});
