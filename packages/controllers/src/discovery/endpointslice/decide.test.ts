import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import { actionsOf, type Plan, printAction } from "@kubeloop/core/contract";
import { describe, expect, test } from "vitest";
import { type TriggerTimes, triggerTimesOf } from "../../domain/trigger-times.ts";
import { type DecidedSlices, newDecide } from "./decide.ts";
import type { SelectingService } from "./observe.ts";
import { changedAt, created, newService, podOf, sliceLabels, sliceOf, zonedNode } from "./slices.fixture.ts";

interface Given extends Partial<Omit<SelectingService, "nodeOf" | "times">> {
  readonly nodes?: readonly corev1.Node[];
  readonly most?: number;
  readonly knowsPreferSame?: boolean;
  readonly times?: TriggerTimes;
}

const annotation = "endpoints.kubernetes.io/last-change-trigger-time";

function planned(given: Given): Plan<DecidedSlices> {
  const { service = newService(), pods = [], slices = [], nodes = [zonedNode("n")], hasHints = false } = given;
  const { topology = { ratios: undefined, hasSeenNodes: true }, most = 100, knowsPreferSame = true, times } = given;
  const nodeOf = ({ spec }: corev1.Pod) => nodes.find(({ metadata }) => metadata.name === spec?.nodeName);
  const selecting = { service, pods, slices, nodeOf, topology, hasHints, times };
  const decision = newDecide({ most, knowsPreferSame })({ key: "shop/web", isGone: false, selecting });
  if (decision.kind !== "plan") throw new Error(`is no plan, but ${decision.kind}`);
  return decision;
}

const actions = (given: Given) =>
  actionsOf(planned(given)).map((action) => printAction(action).replace(" endpointslices.discovery.k8s.io shop/", " "));

/** The slices as they are after the first write of each: created ones, and edits laid over what there was. */
function written(given: Given): readonly discoveryv1.EndpointSlice[] {
  return actionsOf(planned(given)).flatMap((action) => {
    if (action.type === "create") return [action.object as discoveryv1.EndpointSlice];
    if (action.type !== "edit") return [];
    const { metadata, ...rest } = action.patch as Partial<discoveryv1.EndpointSlice>;
    const before = action.before as discoveryv1.EndpointSlice;
    return [{ ...before, ...rest, metadata: { ...before.metadata, ...metadata } }];
  });
}
const firstEndpoint = (given: Given) => written(given)[0]?.endpoints?.[0];

describe("the slices of a Service:", () => {
  const none: readonly string[] = [];
  const filled = sliceOf("a", { pods: ["p1"], port: 8080 });
  const dual = newService({ ipFamilies: ["IPv4", "IPv6"] });
  const deleted = newService({}, { deletionTimestamp: changedAt });
  const named = newService({ ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }] });
  for (const [what, given, expected] of [
    ["a placeholder where there are no pods", {}, ["create web-*"]],
    ["a placeholder stays", { slices: [sliceOf("a")] }, none],
    [
      "a placeholder with other labels is mended",
      { slices: [sliceOf("a", { labels: { ...sliceLabels, x: "y" } })] },
      ["edit a"],
    ],
    ["of two placeholders one stays", { slices: [sliceOf("a"), sliceOf("b")] }, ["edit a", "delete b"]],
    ["a slice for a pod", { pods: [podOf("p1")] }, ["create web-*"]],
    ["a placeholder becomes the first slice", { pods: [podOf("p1")], slices: [sliceOf("a")] }, ["edit a"]],
    ["a slice that is right stays", { pods: [podOf("p1")], slices: [filled] }, none],
    ["the last slice becomes a placeholder", { slices: [filled] }, ["edit a"]],
    [
      "one slice for a family that is named twice",
      { service: newService({ ipFamilies: ["IPv4", "IPv4"] }), pods: [podOf("p1")] },
      ["create web-*"],
    ],
    ["a slice for each family", { service: dual, pods: [podOf("p1")] }, ["create web-*", "create web-*"]],
    [
      "a slice of a family that it has no longer is deleted",
      { pods: [podOf("p1")], slices: [filled, sliceOf("b", { addressType: "IPv6" })] },
      ["delete b"],
    ],
    [
      "slices of a Service that is gone are not taken over",
      { pods: [podOf("p1")], slices: [sliceOf("a", { pods: ["p1"], port: 8080, ownerUid: "old" })] },
      ["create web-*", "delete a"],
    ],
    [
      "a slice for each set of ports",
      { service: named, pods: [podOf("p1"), podOf("p2", { port: 9090 })] },
      ["create web-*", "create web-*"],
    ],
    [
      "a slice with other ports is reused",
      { pods: [podOf("p1")], slices: [sliceOf("a", { pods: ["p1"], port: 9090 })] },
      ["edit a"],
    ],
    [
      "only slices that are needed are kept",
      { pods: [podOf("p1")], slices: [filled, sliceOf("b", { pods: ["p2"], port: 8080 })] },
      ["delete b"],
    ],
    ["nothing is created for a Service that is being deleted", { service: deleted, pods: [podOf("p1")] }, none],
    [
      "what a Service that is being deleted has still follows its pods",
      { service: deleted, pods: [podOf("p1", { isReady: false })], slices: [filled] },
      ["edit a"],
    ],
    [
      "no more endpoints than a slice holds",
      { pods: [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"] })], most: 1 },
      ["create web-*", "create web-*"],
    ],
    [
      "labels of the Service are the slices'",
      { service: newService({}, { labels: { team: "shop" } }), pods: [podOf("p1")], slices: [filled] },
      ["edit a"],
    ],
    [
      "reserved labels of the Service are not",
      {
        service: newService({}, { labels: { "service.kubernetes.io/headless": "x" } }),
        pods: [podOf("p1")],
        slices: [filled],
      },
      none,
    ],
  ] as const) {
    test(what, () => expect(actions(given)).toEqual(expected));
  }
});

test("a new slice is the Service's, carries its labels, and says when it changed", () => {
  const service = newService({}, { labels: { team: "shop", "kubernetes.io/service-name": "not-mine" } });
  expect(written({ service, pods: [podOf("p1")] })).toEqual([
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        namespace: "shop",
        generateName: "web-",
        labels: { team: "shop", ...sliceLabels },
        annotations: { [annotation]: created },
        ownerReferences: [
          {
            apiVersion: "v1",
            kind: "Service",
            name: "web",
            uid: "web-uid",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      endpoints: [
        {
          addresses: ["10.1.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "n",
          targetRef: { kind: "Pod", namespace: "shop", name: "p1", uid: "p1" },
        },
      ],
    },
  ]);
});

test("the slices of a headless Service say so", () => {
  const [slice] = written({ service: newService({ clusterIP: "None" }), pods: [podOf("p1")] });
  expect(slice?.metadata.labels).toEqual({ ...sliceLabels, "service.kubernetes.io/headless": "" });
});

test("the time of the change is written, and taken away when nothing has a time", () => {
  const slices = [sliceOf("a", { pods: ["p1"], port: 8080, annotations: { [annotation]: created, kept: "x" } })];
  const pods = [podOf("p1", { isReady: false })];
  const service = newService();
  const before = (minute: number): TriggerTimes => ({
    serviceMs: Date.parse(created),
    podsMs: new Map([["p1", Date.parse(created) + minute * 60_000]]),
  });
  const annotations = (times: TriggerTimes) => written({ service, pods, slices, times })[0]?.metadata.annotations;
  expect(annotations(before(1))).toMatchObject({ [annotation]: changedAt });
  // In a merge patch null removes it.
  expect(annotations(triggerTimesOf(service, pods))).toEqual({ [annotation]: null });
});

describe("the endpoint of a pod", () => {
  for (const [what, pod, service, expected] of [
    [
      "is ready and serves",
      podOf("p1"),
      newService(),
      { conditions: { ready: true, serving: true, terminating: false } },
    ],
    [
      "is not ready",
      podOf("p1", { isReady: false }),
      newService(),
      { conditions: { ready: false, serving: false, terminating: false } },
    ],
    [
      "terminates, and serves",
      podOf("p1", { isTerminating: true }),
      newService(),
      { conditions: { ready: false, serving: true, terminating: true } },
    ],
    [
      "terminates, and does not serve",
      podOf("p1", { isTerminating: true, isReady: false }),
      newService(),
      { conditions: { ready: false, serving: false, terminating: true } },
    ],
    [
      "is ready where it is published anyhow",
      podOf("p1", { isReady: false }),
      newService({ publishNotReadyAddresses: true }),
      { conditions: { ready: true, serving: false, terminating: false } },
    ],
    [
      "is ready where it is published while it terminates",
      podOf("p1", { isTerminating: true }),
      newService({ publishNotReadyAddresses: true }),
      { conditions: { ready: true, serving: true, terminating: true } },
    ],
    ["has the zone of its node", podOf("p1", { node: "z" }), newService(), { nodeName: "z", zone: "zone-a" }],
    ["has its hostname", podOf("p1", { spec: { hostname: "h", subdomain: "web" } }), newService(), { hostname: "h" }],
    [
      "has all its addresses of a family",
      podOf("p1", { ips: ["10.1.0.9", "10.1.0.2", "fd00::1"] }),
      newService(),
      { addresses: ["10.1.0.2", "10.1.0.9"] },
    ],
    [
      "has its address of the other family",
      podOf("p1", { ips: ["10.1.0.9", "fd00::1"] }),
      newService({ ipFamilies: ["IPv6"] }),
      { addresses: ["fd00::1"] },
    ],
  ] as const) {
    test(what, () => {
      const nodes = [zonedNode("n"), zonedNode("z", "zone-a")];
      expect(firstEndpoint({ pods: [pod], service, nodes })).toMatchObject(expected);
    });
  }

  for (const [what, pod, service] of [
    ["that has ended", podOf("p1", { phase: "Succeeded" }), newService()],
    ["that failed", podOf("p1", { phase: "Failed" }), newService()],
    ["without an address", podOf("p1", { ips: [] }), newService()],
    ["without an address of the family", podOf("p1", { ips: ["fd00::1"] }), newService()],
  ] as const) {
    test(`${what} is none`, () => expect(firstEndpoint({ pods: [pod], service })).toBeUndefined());
  }
});

describe("a pod whose node is not known", () => {
  const pods = [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"], node: "lost" })];
  test("is left out, and looked for again", () => {
    expect(written({ pods })[0]?.endpoints).toHaveLength(1);
    expect(planned({ pods }).unfinished?.message).toBe("skipping Pod p2 for Service shop/web: Node lost Not Found");
  });
  test("is in where addresses that are not ready are published", () => {
    const service = newService({ publishNotReadyAddresses: true });
    expect(written({ pods, service })[0]?.endpoints).toHaveLength(2);
    expect(planned({ pods, service }).unfinished).toBeUndefined();
  });
  test("does not matter if it has ended", () => {
    expect(planned({ pods: [podOf("p2", { node: "lost", phase: "Failed" })] }).unfinished).toBeUndefined();
  });
});

describe("the families of a Service without families are", () => {
  const { ipFamilies: _families, ...spec } = newService().spec ?? {};
  const types = (clusterIP: string) =>
    written({ service: { ...newService(), spec: { ...spec, clusterIP } } }).map(({ addressType }) => addressType);
  for (const [what, clusterIP, expected] of [
    ["that of its address", "10.0.0.1", ["IPv4"]],
    ["that of its other address", "fd00::1", ["IPv6"]],
    ["both if it is headless", "None", ["IPv4", "IPv6"]],
  ] as const) {
    test(what, () => expect(types(clusterIP)).toEqual(expected));
  }
});

test("a headless Service without ports has slices without ports", () => {
  const [slice] = written({ service: newService({ clusterIP: "None", ports: [] }), pods: [podOf("p1")] });
  expect([slice?.ports, slice?.endpoints?.length]).toEqual([undefined, 1]);
});

test("ports that a pod does not have are left out", () => {
  const ports = [
    { name: "http", port: 80, targetPort: "http", protocol: "TCP", appProtocol: "http" },
    { name: "none", port: 81, targetPort: "none", protocol: "TCP" },
  ];
  const [slice] = written({ service: newService({ ports }), pods: [podOf("p1")] });
  expect(slice?.ports).toEqual([{ name: "http", port: 8080, protocol: "TCP", appProtocol: "http" }]);
});

describe("hints", () => {
  const nodes = [zonedNode("a", "zone-a"), zonedNode("b", "zone-b")];
  const pods = [podOf("p1", { node: "a" }), podOf("p2", { ips: ["10.1.0.2"], node: "b" })];
  const topology = {
    ratios: new Map([
      ["zone-a", 0.5],
      ["zone-b", 0.5],
    ]),
    hasSeenNodes: true,
  };
  const auto = (annotations: object, spec: object = {}) => newService(spec, { annotations });
  const hintsOf = (given: Given) =>
    written({ pods, nodes, topology, ...given })[0]?.endpoints?.map(({ hints }) => hints?.forZones?.[0]?.name);
  const zones = ["zone-a", "zone-b"];
  const absent = [undefined, undefined];
  const mode = "service.kubernetes.io/topology-mode";
  const old = "service.kubernetes.io/topology-aware-hints";
  for (const [what, service, expected, events] of [
    ["are given by the annotation", auto({ [mode]: "Auto" }), zones, ["TopologyAwareHintsEnabled"]],
    ["are given by the annotation in small letters", auto({ [mode]: "auto" }), zones, ["TopologyAwareHintsEnabled"]],
    ["are given by the older annotation", auto({ [old]: "Auto" }), zones, ["TopologyAwareHintsEnabled"]],
    ["are not given if the older annotation says so", auto({ [old]: "Disabled", [mode]: "Auto" }), absent, []],
    ["are not given by another mode", auto({ [mode]: "Disabled" }), absent, []],
    ["are given by the traffic distribution", auto({}, { trafficDistribution: "PreferSameZone" }), zones, []],
    [
      "are given by the annotation, if both are there",
      auto({ [mode]: "Auto" }, { trafficDistribution: "PreferSameNode" }),
      zones,
      ["TopologyAwareHintsEnabled"],
    ],
  ] as const) {
    test(what, () => {
      expect(hintsOf({ service })).toEqual(expected);
      expect(planned({ service, pods, nodes, topology }).notes?.events.map(({ reason }) => reason)).toEqual(events);
    });
  }

  test("that are there already are not said again", () => {
    const service = auto({ [mode]: "Auto" });
    expect(planned({ service, pods, nodes, topology, hasHints: true }).notes?.events).toEqual([]);
  });
  test("that go with the annotation are said to be gone", () => {
    expect(planned({ pods, nodes, topology, hasHints: true }).notes?.events).toEqual([
      {
        type: "Warning",
        reason: "TopologyAwareHintsDisabled",
        message: "Topology Aware Hints has been disabled, addressType: IPv4",
      },
    ]);
  });
  test("that cannot be given are said why", () => {
    const unknown = { ratios: undefined, hasSeenNodes: true };
    const { notes } = planned({ service: auto({ [mode]: "Auto" }), pods, nodes, topology: unknown });
    expect(notes).toMatchObject({ hasHints: false, usesTopology: true });
    expect(notes?.events[0]).toMatchObject({ type: "Warning", reason: "TopologyAwareHintsDisabled" });
  });
  test("of the newer traffic distributions are not given where they are not known", () => {
    const service = auto({}, { trafficDistribution: "PreferSameZone" });
    expect(hintsOf({ service, knowsPreferSame: false })).toEqual(absent);
  });
});

test("what it adds and removes is measured for each family", () => {
  const service = newService({ ipFamilies: ["IPv4", "IPv6"] });
  const slices = [sliceOf("a", { pods: ["p1", "p2"], port: 8080 })];
  const measures = planned({ service, pods: [podOf("p1"), podOf("p3", { ips: ["10.1.0.3"] })], slices }).measures ?? [];
  expect(measures.map(({ metric, value }) => `${metric.definition.name} ${value}`)).toEqual([
    "endpoint_slice_controller_endpoints_added_per_sync 1",
    "endpoint_slice_controller_endpoints_removed_per_sync 1",
    "endpoint_slice_controller_endpoints_added_per_sync 0",
    "endpoint_slice_controller_endpoints_removed_per_sync 0",
  ]);
});

test("creates come before updates, and updates before deletes; families do not wait for each other", () => {
  const service = newService({ ipFamilies: ["IPv4", "IPv6"] });
  const slices = [
    sliceOf("a", { pods: ["p1"], port: 8080, ownerUid: "old" }),
    sliceOf("b", { pods: ["p1", "p9"], port: 8080 }),
  ];
  const { steps } = planned({ service, pods: [podOf("p1"), podOf("p2", { ips: ["10.1.0.2"] })], slices, most: 1 });
  expect(steps).toHaveLength(1);
  expect(
    steps[0]?.map((entry) => (entry.type === "chain" ? entry.actions.map(({ type }) => type) : [entry.type])),
  ).toEqual([["create", "edit", "delete"], ["create"]]);
});

test("in a namespace that is being deleted, a create that is refused is no failure; nor is a delete of what is gone", () => {
  const [creation] = actionsOf(planned({ pods: [podOf("p1")] }));
  expect(creation?.tolerates).toEqual(["NamespaceTerminating"]);
  const removal = actionsOf(planned({ slices: [sliceOf("a"), sliceOf("b")] })).at(-1);
  expect(removal?.tolerates).toEqual(["NotFound", "Conflict"]);
});

test("a Service whose endpoints are not pods is left alone", () => {
  const decide = newDecide({ most: 100, knowsPreferSame: true });
  expect(decide({ key: "shop/web", isGone: false, selecting: undefined })).toMatchObject({ kind: "plan", steps: [] });
});
