import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import { actionsOf, type Plan, printAction } from "@kubeloop/core/contract";
import { stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { printEndpoints } from "../../scenarios/services.contract.ts";
import { type DecidedMirror, newDecide } from "./decide.ts";

const subset = (ips: string, port?: number, notReady = ""): corev1.EndpointSubset => {
  const list = (text: string) => (text === "" ? [] : text.split(" ").map((ip) => ({ ip })));
  return {
    addresses: list(ips),
    notReadyAddresses: list(notReady),
    ...(port === undefined ? {} : { ports: [{ name: "http", port, protocol: "TCP" }] }),
  };
};
const newEndpoints = (subsets: readonly corev1.EndpointSubset[], metadata: object = {}): corev1.Endpoints =>
  stored({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { namespace: "shop", name: "web", uid: "eps", ...metadata },
    subsets,
  });

interface Given {
  readonly mirrored?: corev1.Endpoints | undefined;
  readonly slices?: readonly discoveryv1.EndpointSlice[];
  readonly maxPerSubset?: number;
}
function planned({ mirrored, slices = [], maxPerSubset = 1000 }: Given): Plan<DecidedMirror> {
  const decision = newDecide({ maxPerSubset })(
    { key: "shop/web", mirrored, slices },
    { nowMs: 7, answer: () => undefined },
  );
  if (decision.kind !== "plan") throw new Error(`is no plan, but ${decision.kind}`);
  return decision;
}
const actions = (given: Given) =>
  actionsOf(planned(given)).map((action) => printAction(action).replace(" endpointslices.discovery.k8s.io shop/", " "));
const created = (given: Given) =>
  actionsOf(planned(given)).flatMap((action) =>
    action.type === "create" ? [action.object as discoveryv1.EndpointSlice] : [],
  );

/** The slices that the controller makes of these Endpoints, named a, b, … */
const made = (mirrored: corev1.Endpoints, names = "ab") =>
  created({ mirrored }).map((slice, i) => stored({ ...slice, metadata: { ...slice.metadata, name: names[i] ?? "x" } }));

describe("the slices of Endpoints:", () => {
  const one = newEndpoints([subset("10.9.0.1 10.9.0.2", 80)]);
  const slices = made(one);
  const none: readonly string[] = [];
  const relabelled = newEndpoints([subset("10.9.0.1 10.9.0.2", 80)], { labels: { a: "b" } });
  const annotated = newEndpoints([subset("10.9.0.1 10.9.0.2", 80)], { annotations: { a: "b" } });
  const timed = newEndpoints([subset("10.9.0.1 10.9.0.2", 80)], {
    annotations: {
      "endpoints.kubernetes.io/last-change-trigger-time": "2024-01-01T00:00:00Z",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
    },
  });
  const anew = newEndpoints([subset("10.9.0.1 10.9.0.2", 80)], { uid: "anew" });
  const going = newEndpoints([subset("10.9.0.1", 80)], { deletionTimestamp: "2024-01-01T00:00:00Z" });
  const reversed = slices.map((slice) => ({ ...slice, endpoints: slice.endpoints?.toReversed() ?? [] }));
  for (const [what, given, expected] of [
    ["one for a subset", { mirrored: one }, ["create web-*"]],
    ["none for no subsets", { mirrored: newEndpoints([]) }, none],
    [
      "one for each family",
      { mirrored: newEndpoints([subset("10.9.0.1 fd00::1", 80)]) },
      ["create web-*", "create web-*"],
    ],
    [
      "one for each subset",
      { mirrored: newEndpoints([subset("10.9.0.1", 80), subset("10.9.0.2", 81)]) },
      ["create web-*", "create web-*"],
    ],
    [
      "one for subsets of the same ports",
      { mirrored: newEndpoints([subset("10.9.0.1", 80), subset("10.9.0.2", 80)]) },
      ["create web-*"],
    ],
    ["one without ports", { mirrored: newEndpoints([subset("10.9.0.1")]) }, ["create web-*"]],
    ["left alone if they are right", { mirrored: one, slices }, none],
    ["left alone in another order", { mirrored: one, slices: reversed }, none],
    [
      "changed when an address comes",
      { mirrored: newEndpoints([subset("10.9.0.1 10.9.0.2 10.9.0.3", 80)]), slices },
      ["edit a"],
    ],
    ["changed when an address goes", { mirrored: newEndpoints([subset("10.9.0.1", 80)]), slices }, ["edit a"]],
    [
      "changed when an address is not ready",
      { mirrored: newEndpoints([subset("10.9.0.1", 80, "10.9.0.2")]), slices },
      ["edit a"],
    ],
    ["changed with the labels", { mirrored: relabelled, slices }, ["edit a"]],
    ["changed with the annotations", { mirrored: annotated, slices }, ["edit a"]],
    ["not changed with annotations that are not mirrored", { mirrored: timed, slices }, none],
    ["changed when the Endpoints were made anew", { mirrored: anew, slices }, ["edit a"]],
    ["reused for other ports", { mirrored: newEndpoints([subset("10.9.0.1", 81)]), slices }, ["edit a"]],
    [
      "not reused for the other family",
      { mirrored: newEndpoints([subset("fd00::1", 80)]), slices },
      ["create web-*", "delete a"],
    ],
    ["deleted without subsets", { mirrored: newEndpoints([]), slices }, ["delete a"]],
    [
      "deleted where there is more than one for a subset",
      { mirrored: one, slices: [...slices, ...made(one, "z")] },
      ["delete z"],
    ],
    ["deleted where nothing is to be mirrored", { mirrored: undefined, slices }, ["delete a"]],
    ["not created for Endpoints that are being deleted", { mirrored: going }, none],
  ] as const) {
    test(what, () => expect(actions(given)).toEqual(expected));
  }
});

test("a slice has the labels and annotations of the Endpoints, and is theirs", () => {
  const metadata = {
    labels: { team: "shop", "endpointslice.kubernetes.io/managed-by": "not-me" },
    annotations: { note: "x", "endpoints.kubernetes.io/last-change-trigger-time": "2024-01-01T00:00:00Z" },
  };
  const targetRef = { kind: "Pod", namespace: "shop", name: "p" };
  const addresses = [{ ip: "10.9.0.1", hostname: "h", nodeName: "n", targetRef }, { ip: "10.9.0.02" }];
  const ports = [{ port: 80, protocol: "TCP", appProtocol: "http" }];
  expect(created({ mirrored: newEndpoints([{ addresses, ports }], metadata) })).toEqual([
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        namespace: "shop",
        generateName: "web-",
        labels: {
          team: "shop",
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        },
        annotations: { note: "x" },
        ownerReferences: [
          { apiVersion: "v1", kind: "Endpoints", name: "web", uid: "eps", controller: true, blockOwnerDeletion: true },
        ],
      },
      addressType: "IPv4",
      ports: [{ name: "", port: 80, protocol: "TCP", appProtocol: "http" }],
      endpoints: [
        { addresses: ["10.9.0.2"], conditions: { ready: true } },
        { addresses: ["10.9.0.1"], conditions: { ready: true }, hostname: "h", nodeName: "n", targetRef },
      ],
    },
  ]);
});

describe("of too many addresses", () => {
  for (const [what, subsets, expected, skipped, invalid] of [
    [
      "the rest is left out",
      [subset("10.9.0.1 10.9.0.2 10.9.0.3", 80)],
      ["10.9.0.1:80 ready", "10.9.0.2:80 ready"],
      1,
      0,
    ],
    [
      "those that are not ready are left out first",
      [subset("10.9.0.2", 80, "10.9.0.1 10.9.0.3")],
      ["10.9.0.1:80", "10.9.0.2:80 ready"],
      1,
      0,
    ],
    [
      "each subset has its own",
      [subset("10.9.0.1 10.9.0.2", 80), subset("10.9.0.3 10.9.0.4 10.9.0.5", 81)],
      ["10.9.0.1:80 ready", "10.9.0.2:80 ready", "10.9.0.3:81 ready", "10.9.0.4:81 ready"],
      1,
      0,
    ],
    [
      "the rest is not looked at: what is none comes last",
      [subset("nonsense 10.9.0.1 10.9.0.2", 80)],
      ["10.9.0.1:80 ready", "10.9.0.2:80 ready"],
      1,
      0,
    ],
    ["what is none is left out", [subset("1nonsense 10.9.0.1", 80)], ["10.9.0.1:80 ready"], 1, 1],
  ] as const) {
    test(what, () => {
      const given = { mirrored: newEndpoints(subsets), maxPerSubset: 2 };
      expect(printEndpoints(created(given))).toEqual(expected);
      const { notes } = planned(given);
      expect([notes?.skipped, notes?.invalid]).toEqual([skipped, invalid]);
    });
  }
});

test("what it adds, changes, removes and leaves out is measured", () => {
  const slices = made(newEndpoints([subset("10.9.0.1 10.9.0.2", 80)]));
  const mirrored = newEndpoints([subset("10.9.0.3 nonsense", 80, "10.9.0.1")]);
  const { measures = [], notes } = planned({ mirrored, slices });
  expect(
    measures.map(({ metric, value }) =>
      `${metric.definition.name} ${value}`.replace("endpoint_slice_mirroring_controller_", ""),
    ),
  ).toEqual([
    "addresses_skipped_per_sync 1",
    "endpoints_added_per_sync 1",
    "endpoints_updated_per_sync 1",
    "endpoints_removed_per_sync 1",
  ]);
  expect(notes).toEqual({
    beganMs: 7,
    groups: [
      { endpoints: 2, slices: 1 },
      { endpoints: 0, slices: 0 },
    ],
    invalid: 1,
    skipped: 1,
  });
});

test("ports are in upstream's order", () => {
  const http = { name: "http", port: 8080, protocol: "TCP" };
  const dns = { name: "", port: 53, protocol: "UDP", appProtocol: "kubernetes.io/h2c" };
  const mirrored = newEndpoints([{ addresses: [{ ip: "10.9.0.1" }], ports: [dns, http] }]);
  expect(created({ mirrored })[0]?.ports).toEqual([http, dns]);
});
