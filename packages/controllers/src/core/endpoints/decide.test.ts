import type { corev1 } from "@kubeloop/core/api";
import { actionsOf, type Plan, printAction } from "@kubeloop/core/contract";
import { stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { changedAt, created, newService, podOf } from "../../discovery/endpointslice/slices.fixture.ts";
import { printSubsets } from "../../scenarios/services.contract.ts";
import { type DecidedEndpoints, newDecide } from "./decide.ts";
import type { Observed } from "./observe.ts";

const timeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";
const managed = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };

interface Given extends Partial<Omit<Observed, "service">> {
  readonly service?: corev1.Service | undefined;
  readonly most?: number;
}
function planned(given: Given): Plan<DecidedEndpoints> {
  const { pods = [], current, times, most = 1000 } = given;
  const service = "service" in given ? given.service : newService();
  const decision = newDecide({ most })({ key: "shop/web", service, pods, current, times });
  if (decision.kind !== "plan") throw new Error(`is no plan, but ${decision.kind}`);
  return decision;
}
const actions = (given: Given) => actionsOf(planned(given)).map(printAction);

/** The Endpoints that are created, or as they are after the edit. */
function written(given: Given): corev1.Endpoints | undefined {
  const [action] = actionsOf(planned(given));
  if (action?.type === "create") return action.object as corev1.Endpoints;
  if (action?.type !== "edit") return undefined;
  const { metadata, ...rest } = action.patch as Partial<corev1.Endpoints>;
  const before = action.before as corev1.Endpoints;
  return { ...before, ...rest, metadata: { ...before.metadata, ...metadata } };
}
const addresses = (given: Given) => printSubsets(written(given)?.subsets ?? []);

/** Endpoints as the controller makes them. */
const made = (given: Given, metadata: object = {}): corev1.Endpoints => {
  const endpoints = written(given);
  if (endpoints === undefined) throw new Error("nothing is made");
  return stored({ ...endpoints, metadata: { ...endpoints.metadata, ...metadata } });
};

describe("the Endpoints of a Service:", () => {
  const pods = [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"], isReady: false })];
  const right = made({ pods });
  const by = (labels: object) => made({ pods }, { labels });
  const create = ["create endpoints shop/web"];
  const edit = ["edit endpoints shop/web"];
  const none: readonly string[] = [];
  for (const [what, given, expected] of [
    ["made where there are none", {}, create],
    ["made of pods", { pods }, create],
    ["left alone if they are right", { pods, current: right }, none],
    ["left alone if there are no pods and no subsets", { current: made({}) }, none],
    [
      "left alone if their order is another",
      { pods, current: { ...right, subsets: right.subsets?.toReversed() ?? [] } },
      none,
    ],
    ["changed when a pod changes", { pods: [podOf("p1")], current: right }, edit],
    ["changed when there are no pods any more", { current: right }, edit],
    [
      "changed when the labels of the Service change",
      { service: newService({}, { labels: { a: "b" } }), pods, current: right },
      edit,
    ],
    ["changed when nobody says who made them", { pods, current: by({}) }, edit],
    ["changed when they have a label of their own", { pods, current: by({ ...managed, a: "b" }) }, edit],
    [
      "not changed only because the Service is headless now",
      { service: newService({ clusterIP: "None" }), pods, current: right },
      none,
    ],
    [
      "changed when there were too many",
      { pods, current: made({ pods }, { annotations: { "endpoints.kubernetes.io/over-capacity": "truncated" } }) },
      edit,
    ],
    ["deleted when the Service is gone", { service: undefined, current: right }, ["delete endpoints shop/web"]],
    ["nothing where nothing is left", { service: undefined }, none],
    ["left alone for a Service without a selector", { service: newService({ selector: {} }), current: right }, none],
    ["left alone for an external name", { service: newService({ type: "ExternalName" }), current: right }, none],
  ] as const) {
    test(what, () => expect(actions(given)).toEqual(expected));
  }
});

test("they carry the labels of the Service, who made them, and when they changed", () => {
  const service = newService({}, { labels: { team: "shop" } });
  expect(written({ service, pods: [podOf("p1")] })).toEqual({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      namespace: "shop",
      name: "web",
      labels: { team: "shop", ...managed },
      annotations: { [timeAnnotation]: created },
    },
    subsets: [
      {
        addresses: [
          { ip: "10.1.0.1", nodeName: "n", targetRef: { kind: "Pod", namespace: "shop", name: "p1", uid: "p1" } },
        ],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ],
  });
});

test("those of another Service do not say that it is headless, whatever its labels say", () => {
  const service = newService({}, { labels: { "service.kubernetes.io/headless": "mine" } });
  expect(written({ service })?.metadata.labels).toEqual(managed);
});

test("those of a headless Service say so", () => {
  const service = newService({ clusterIP: "None" }, { labels: { "service.kubernetes.io/headless": "mine" } });
  expect(written({ service })?.metadata.labels).toEqual({ ...managed, "service.kubernetes.io/headless": "" });
});

describe("addresses are", () => {
  const both = podOf("p1", { ips: ["10.1.0.1", "fd00::1"] });
  const publishing = newService({ publishNotReadyAddresses: true });
  const { ipFamilies: _families, ...without } = newService().spec ?? {};
  const bare = (spec: object) => ({ ...newService(), spec: { ...without, ...spec } });
  const named = [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }];
  for (const [what, given, expected] of [
    ["ready", { pods: [podOf("p1")] }, ["10.1.0.1:8080 ready"]],
    ["not ready", { pods: [podOf("p1", { isReady: false })] }, ["10.1.0.1:8080"]],
    [
      "both",
      { pods: [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"], isReady: false })] },
      ["10.1.0.1:8080 ready", "10.1.0.2:8080"],
    ],
    [
      "ready where all are published",
      { service: publishing, pods: [podOf("p1", { isReady: false })] },
      ["10.1.0.1:8080 ready"],
    ],
    ["not those of pods that are being deleted", { pods: [podOf("p1", { isTerminating: true })] }, []],
    [
      "those of pods that are being deleted, where all are published",
      { service: publishing, pods: [podOf("p1", { isTerminating: true })] },
      ["10.1.0.1:8080 ready"],
    ],
    ["not those of pods that have ended", { service: publishing, pods: [podOf("p1", { phase: "Succeeded" })] }, []],
    ["not those of pods that failed", { pods: [podOf("p1", { phase: "Failed", isReady: false })] }, []],
    ["none of a pod without one", { pods: [podOf("p1", { ips: [] })] }, []],
    [
      "of the first family",
      { service: newService({ ipFamilies: ["IPv6", "IPv4"] }), pods: [both] },
      ["fd00::1:8080 ready"],
    ],
    [
      "none of a pod that has none of that family",
      { service: newService({ ipFamilies: ["IPv6"] }), pods: [podOf("p1")] },
      [],
    ],
    [
      "of the family of the Service's address",
      { service: bare({ clusterIP: "fd00::9" }), pods: [both] },
      ["fd00::1:8080 ready"],
    ],
    [
      "of the family of the pod's first address",
      { service: bare({ clusterIP: "None" }), pods: [podOf("p1", { ips: ["fd00::1", "10.1.0.1"] })] },
      ["fd00::1:8080 ready"],
    ],
    [
      "at the ports that have the name",
      { service: newService({ ports: named }), pods: [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"], port: 9090 })] },
      ["10.1.0.1:8080 ready", "10.1.0.2:9090 ready"],
    ],
    [
      "none without a port of the name",
      {
        service: newService({ ports: [{ name: "x", port: 80, targetPort: "x", protocol: "TCP" }] }),
        pods: [podOf("p1")],
      },
      [],
    ],
    [
      "without ports where a headless Service has none",
      { service: newService({ clusterIP: "None", ports: [] }), pods: [podOf("p1")] },
      ["10.1.0.1: ready"],
    ],
    [
      "at one port with several protocols",
      {
        service: newService({
          ports: ["TCP", "UDP", "SCTP"].map((protocol) => ({
            name: protocol.toLowerCase(),
            port: 80,
            targetPort: 8080,
            protocol,
          })),
        }),
        pods: [podOf("p1")],
      },
      ["10.1.0.1:8080,8080,8080 ready"],
    ],
    [
      "cut if there are too many",
      { pods: [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"] })], most: 1 },
      ["10.1.0.1:8080 ready"],
    ],
  ] as const) {
    test(what, () => expect(addresses(given)).toEqual(expected));
  }

  test("named where the pod is named in the Service", () => {
    const pods = [podOf("p1", { spec: { hostname: "h", subdomain: "web" } })];
    expect(written({ pods })?.subsets?.[0]?.addresses?.[0]?.hostname).toBe("h");
  });
  test("with the application protocol of the port", () => {
    const service = newService({ ports: [{ port: 80, targetPort: 8080, protocol: "TCP", appProtocol: "http" }] });
    expect(written({ service, pods: [podOf("p1")] })?.subsets?.[0]?.ports).toEqual([
      { port: 8080, protocol: "TCP", appProtocol: "http" },
    ]);
  });
});

test("too many addresses are said, and not any more when there are fewer", () => {
  const annotation = "endpoints.kubernetes.io/over-capacity";
  const pods = [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"] })];
  const cut = made({ pods, most: 1 });
  expect(cut.metadata.annotations).toMatchObject({ [annotation]: "truncated" });
  // In a merge patch null removes it.
  expect(written({ pods, current: cut })?.metadata.annotations).toMatchObject({ [annotation]: null });
});

describe("the time of the change", () => {
  const pods = [podOf("p1")];
  const current = made({}, { annotations: { [timeAnnotation]: created, kept: "x" } });
  const serviceMs = Date.parse(created);
  const timeOf = (podMs: number) =>
    written({ pods, current, times: { serviceMs, podsMs: new Map([["p1", podMs]]) } })?.metadata.annotations;
  test("is overwritten", () => expect(timeOf(serviceMs)).toMatchObject({ [timeAnnotation]: changedAt }));
  test("is taken away where nothing has one", () => {
    expect(timeOf(Date.parse(changedAt))).toMatchObject({ [timeAnnotation]: null });
  });
});

test("a create in a namespace that is being deleted is no failure, nor is a delete of what is gone or made anew", () => {
  expect(actionsOf(planned({}))[0]?.tolerates).toEqual(["NamespaceTerminating"]);
  expect(actionsOf(planned({ service: undefined, current: made({}) }))[0]?.tolerates).toEqual(["NotFound", "Conflict"]);
});
