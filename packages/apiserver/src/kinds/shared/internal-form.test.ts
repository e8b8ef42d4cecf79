import { expect, test } from "vitest";
import { internalForm } from "./internal-form.ts";

for (const [name, part, type, expected] of [
  [
    "shows every field by its Go name, absent ones as null or zero",
    { type: "Localhost" },
    "SeccompProfile",
    '{"Type":"Localhost","LocalhostProfile":null}',
  ],
  [
    "shows what is held by value even where it is empty",
    { name: "c", resourceClaimName: "r" },
    "PodResourceClaim",
    '{"Name":"c","ResourceClaimName":"r","ResourceClaimTemplateName":null}',
  ],
  [
    "shows embedded parts among the fields",
    { name: "m", key: "k" },
    "ConfigMapKeySelector",
    '{"Name":"m","Key":"k","Optional":null}',
  ],
  [
    "shows lists of parts",
    { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
    "NodeSelectorTerm",
    '{"MatchExpressions":[{"Key":"a","Operator":"In","Values":["b"]}],"MatchFields":null}',
  ],
  [
    "keeps the names of parts that have tags, in their order",
    { topologyKey: "z", labelSelector: { matchExpressions: [], matchLabels: { b: "2", a: "1" } } },
    "PodAffinityTerm",
    '{"LabelSelector":{"matchLabels":{"a":"1","b":"2"},"matchExpressions":[]},"Namespaces":null,"TopologyKey":"z","NamespaceSelector":null,"MatchLabelKeys":null,"MismatchLabelKeys":null}',
  ],
  ["shows what is not there as null", undefined, "PodSpec", "null"],
  [
    "shows numbers and text alike",
    { maxUnavailable: "25%" },
    "RollingUpdateDeployment",
    '{"MaxUnavailable":"25%","MaxSurge":0}',
  ],
] as const) {
  test(name, () => expect(JSON.stringify(internalForm(part, type))).toBe(expected));
}

test("keeps the host's namespaces in the security context", () => {
  const form = internalForm({ hostNetwork: true, containers: [] }, "PodSpec") as {
    readonly SecurityContext: Record<string, unknown>;
  };
  expect(form.SecurityContext).toMatchObject({ HostNetwork: true, HostPID: false, HostUsers: null });
  expect(form).not.toHaveProperty("HostNetwork");
});

test("takes a template's metadata apart", () => {
  const form = internalForm({ metadata: { labels: { a: "b" } }, spec: { containers: [] } }, "PodTemplateSpec");
  expect(Object.keys(form as object)).toEqual(["labels", "Spec"]);
});
