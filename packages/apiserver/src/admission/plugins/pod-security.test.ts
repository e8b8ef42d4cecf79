import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { askPlugin, resourceOf, type Told } from "./admission.fixture.ts";
import { podSecurity } from "./pod-security.ts";

const labelled = (labels: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]));
const namespace = (labels: Readonly<Record<string, string>>) => ({
  kind: "Namespace",
  apiVersion: "v1",
  metadata: { name: "shop", labels: labelled(labels) },
});
const pod = (name: string, spec: Partial<corev1.PodSpec> = {}, metadata: object = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { namespace: "shop", name, ...metadata },
  spec: { containers: [{ name: "c", image: "a" }], ...spec },
});
const host: Partial<corev1.PodSpec> = { hostNetwork: true };
const ask = (labels: Readonly<Record<string, string>>, told: Told) =>
  askPlugin(podSecurity, { stored: { namespaces: [namespace(labels)] }, ...told });

describe("a pod", () => {
  const refusal = 'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)';
  const baseline = { enforce: "baseline" };
  const changed = pod("a", { ...host, containers: [{ name: "c", image: "b" }] });
  const debugged = pod("a", { ...host, ephemeralContainers: [{ name: "e", image: "a" }] });
  test.each<[string, Readonly<Record<string, string>>, Told, string]>([
    ["may do anything where nothing is said", {}, { object: pod("a", host) }, ""],
    ["is let through where it violates nothing", baseline, { object: pod("a") }, ""],
    ["is refused where it does", baseline, { object: pod("a", host) }, refusal],
    [
      "is refused by the strictest level where the label cannot be read",
      { enforce: "basic" },
      { object: pod("a", { ...host, securityContext: { runAsNonRoot: true, seccompProfile: { type: "Localhost" } } }) },
      'pods "a" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true), ' +
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
    ],
    [
      "is let through where only something else changes",
      baseline,
      { operation: "UPDATE", object: pod("a", host, { labels: { a: "b" } }), oldObject: pod("a", host) },
      "",
    ],
    [
      "is refused where its image changes",
      baseline,
      { operation: "UPDATE", object: changed, oldObject: pod("a", host) },
      refusal,
    ],
    [
      "is refused where an ephemeral container is added",
      baseline,
      { operation: "UPDATE", subresource: "ephemeralcontainers", object: debugged, oldObject: pod("a", host) },
      refusal,
    ],
    [
      "is let through where its ephemeral containers are what they were",
      baseline,
      { operation: "UPDATE", subresource: "ephemeralcontainers", object: debugged, oldObject: debugged },
      "",
    ],
    [
      "is let through where its status changes",
      baseline,
      { operation: "UPDATE", subresource: "status", object: changed, oldObject: pod("a", host) },
      "",
    ],
    ["is not deleted with more care", baseline, { operation: "DELETE", oldObject: pod("a", host) }, ""],
  ])("%s", async (_fact, labels, told, expected) => {
    expect((await ask(labels, told)).refusal).toBe(expected);
  });

  test("that only violates what is warned of is let through with a warning", async () => {
    expect(await ask({ warn: "baseline" }, { object: pod("a", host) })).toMatchObject({
      refusal: "",
      warnings: ['would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'],
    });
  });
  test("that is refused is not warned of as well", async () => {
    expect((await ask({ enforce: "baseline", warn: "restricted" }, { object: pod("a", host) })).warnings).toEqual([]);
  });
});

describe("who makes pods", () => {
  const template = { metadata: {}, spec: pod("a", host).spec };
  test.each([
    ["apps/deployments", { spec: { template } }],
    ["apps/replicasets", { spec: { template } }],
    ["apps/statefulsets", { spec: { template } }],
    ["apps/daemonsets", { spec: { template } }],
    ["batch/jobs", { spec: { template } }],
    ["batch/cronjobs", { spec: { jobTemplate: { spec: { template } } } }],
    ["replicationcontrollers", { spec: { template } }],
    ["podtemplates", { template }],
  ])("is warned, not refused: %s", async (collection, object) => {
    const resource = resourceOf(collection);
    const said = await ask({ enforce: "baseline" }, { resource, object: { metadata: { name: "a" }, ...object } });
    expect([said.refusal, said.warnings]).toEqual([
      "",
      ['would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'],
    ]);
  });
  test("is not warned without a template, or by a subresource", async () => {
    const resource = resourceOf("replicationcontrollers");
    const without = await ask({ enforce: "baseline" }, { resource, object: { metadata: { name: "a" }, spec: {} } });
    const object = { metadata: { name: "a" }, spec: { template } };
    const scaled = await ask({ enforce: "baseline" }, { resource, subresource: "status", object });
    expect([without.warnings, scaled.warnings]).toEqual([[], []]);
  });
});

describe("a namespace", () => {
  const kind = { group: "", version: "v1", kind: "Namespace" };
  const told = { kind, resource: resourceOf("namespaces"), namespace: "shop", name: "shop" };
  const invalid =
    'Namespace "shop" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "basic": ' +
    "must be one of privileged, baseline, restricted";
  const update = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): Told => ({
    ...told,
    operation: "UPDATE",
    oldObject: namespace(before),
    object: namespace(after),
  });
  test.each<[string, Told, string]>([
    ["is made with labels that can be read", { ...told, object: namespace({ enforce: "baseline" }) }, ""],
    ["is not made with others", { ...told, object: namespace({ enforce: "basic" }) }, invalid],
    ["does not get others later", update({}, { enforce: "basic" }), invalid],
    ["may keep those it has", update({ enforce: "basic" }, { enforce: "basic" }), ""],
    ["may lose those it has", update({ enforce: "basic" }, {}), ""],
  ])("%s", async (_fact, given, expected) => expect((await askPlugin(podSecurity, given)).refusal).toBe(expected));

  const owned = (uid: string) => ({
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid, controller: true }],
  });
  const stored = {
    pods: [
      pod("a", host),
      pod("b", { hostPID: true }),
      pod("c", { hostPID: true }, owned("1")),
      pod("d", host, owned("1")),
      pod("e"),
      { ...pod("f", { containers: [{ name: "c", securityContext: { privileged: true } }] }) },
      { ...pod("g", host), metadata: { namespace: "shopping", name: "g" } },
    ],
  };
  const all = [
    'existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"',
    "a (and 3 other pods): host namespaces",
    "f: privileged",
  ];
  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, readonly string[]]>([
    ["that becomes stricter warns of the pods that would be refused", {}, { enforce: "baseline" }, all],
    ["that stays as strict warns of nothing", { enforce: "baseline" }, { enforce: "baseline", a: "b" }, []],
    ["that is relaxed warns of nothing", { enforce: "restricted" }, { enforce: "baseline" }, []],
    ["that allows everything warns of nothing", { enforce: "baseline" }, { enforce: "privileged" }, []],
    [
      "that is relaxed in another version warns",
      { enforce: "restricted", "enforce-version": "v1.30" },
      { enforce: "baseline" },
      all,
    ],
  ])("%s", async (_fact, before, after, expected) => {
    expect((await askPlugin(podSecurity, { ...update(before, after), stored })).warnings).toEqual(expected);
  });

  test("with more pods than are looked at says so, and looks at one of each controller first", async () => {
    const many = Array.from({ length: 3001 }, (_, index) => pod(`p${index}`, {}, owned("1")));
    const last = pod("z", host, owned("2"));
    const said = await askPlugin(podSecurity, {
      ...update({}, { enforce: "baseline" }),
      stored: { pods: [...many, last] },
    });
    expect(said.warnings).toEqual([
      "new PodSecurity enforce level only checked against the first 3000 of 3002 existing pods",
      'existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"',
      "z: host namespaces",
    ]);
  });
});
