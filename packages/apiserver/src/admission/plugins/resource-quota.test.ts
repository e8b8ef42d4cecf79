import { describe, expect, test } from "vitest";
import { askPlugin, resourceOf, type Told } from "./admission.fixture.ts";
import { resourceQuota } from "./resource-quota.ts";

const quota = (hard: object, used: object, more = {}) => ({
  kind: "ResourceQuota",
  apiVersion: "v1",
  metadata: { name: "q", namespace: "shop" },
  spec: { hard, ...more },
  status: { hard, used },
});
const stored = (...quotas: readonly object[]) => ({ resourcequotas: quotas });
const pod = (cpu?: string) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "shop" },
  spec: { containers: [{ name: "c", resources: cpu === undefined ? {} : { requests: { cpu } } }] },
});
const map = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "shop" } };
const ask = async (told: Told) => (await askPlugin(resourceQuota, told)).refusal;
const exceeded = (requested: string, used: string, limited: string) =>
  `pods "a" is forbidden: exceeded quota: q, requested: ${requested}, used: ${used}, limited: ${limited}`;

describe("a pod", () => {
  test.each([
    ["without a quota", pod(), [], ""],
    [
      "of another namespace's quota",
      pod(),
      [{ ...quota({ pods: "0" }, { pods: "0" }), metadata: { name: "q", namespace: "x" } }],
      "",
    ],
    ["that fits", pod(), [quota({ pods: "2" }, { pods: "1" })], ""],
    ["that is one too many", pod(), [quota({ pods: "1" }, { pods: "1" })], exceeded("pods=1", "pods=1", "pods=1")],
    [
      "that is too large",
      pod("1500m"),
      [quota({ "requests.cpu": "2", pods: "9" }, { "requests.cpu": "1", pods: "1" })],
      exceeded("requests.cpu=1500m", "requests.cpu=1", "requests.cpu=2"),
    ],
    [
      "that exceeds in two ways",
      pod("2"),
      [quota({ cpu: "1", pods: "1" }, { cpu: "0", pods: "1" })],
      exceeded("cpu=2,pods=1", "cpu=0,pods=1", "cpu=1,pods=1"),
    ],
    [
      "that does not say how much it needs",
      pod(),
      [quota({ "requests.cpu": "2" }, { "requests.cpu": "0" })],
      'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: c',
    ],
    [
      "before anything was counted",
      pod(),
      [quota({ pods: "2" }, {})],
      'pods "a" is forbidden: status unknown for quota: q, resources: pods',
    ],
    ["before the quota was looked at", pod(), [{ ...quota({}, {}), spec: { hard: { pods: "0" } } }], ""],
    ["outside of the quota's scope", pod("1"), [quota({ pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] })], ""],
    [
      "inside of it",
      { ...pod(), status: { qosClass: "BestEffort" } },
      [quota({ pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] })],
      exceeded("pods=1", "pods=0", "pods=0"),
    ],
  ])("%s", async (_, object, quotas, refusal) => {
    expect(await ask({ object, stored: stored(...quotas) })).toBe(refusal);
  });
});

const full = stored(quota({ configmaps: "1", "count/configmaps": "1" }, { configmaps: "1", "count/configmaps": "1" }));

test.each([
  [
    "created",
    {},
    'configmaps "a" is forbidden: exceeded quota: q, requested: configmaps=1,count/configmaps=1, used: configmaps=1,count/configmaps=1, limited: configmaps=1,count/configmaps=1',
  ],
  ["changed", { operation: "UPDATE", oldObject: map }, ""],
  ["created in a dry run", { isDryRun: true }, expect.stringContaining("exceeded quota: q")],
] as const)("what is only counted, when it is %s", async (_, told, refusal) => {
  expect(await ask({ object: map, resource: resourceOf("configmaps"), stored: full, ...told })).toEqual(refusal);
});

test.each([
  ["1Gi", "1Gi", ""],
  ["1Gi", "2Gi", ""],
  [
    "1Gi",
    "4Gi",
    'persistentvolumeclaims "a" is forbidden: exceeded quota: q, requested: requests.storage=3Gi, used: requests.storage=1Gi, limited: requests.storage=2Gi',
  ],
])("a claim that grows from %s to %s pays for the difference", async (before, after, refusal) => {
  const claim = (storage: string) => ({ metadata: { name: "a" }, spec: { resources: { requests: { storage } } } });
  const told = { operation: "UPDATE", resource: resourceOf("persistentvolumeclaims") } as const;
  const quotas = stored(quota({ "requests.storage": "2Gi" }, { "requests.storage": "1Gi" }));
  expect(await ask({ ...told, object: claim(after), oldObject: claim(before), stored: quotas })).toBe(refusal);
});

test("events and namespaces are not counted", async () => {
  for (const collection of ["events", "namespaces"]) {
    expect(await ask({ object: map, resource: resourceOf(collection), stored: full })).toBe("");
  }
});
