// Endpoint slices.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const path = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const changed = (title: string, body: object) => ({
  title,
  method: "PATCH",
  path: `${path}/e`,
  headers: { "content-type": "application/merge-patch+json" },
  body,
});
const withAddresses = (addressType: string, ...addresses: string[]) => ({ addressType, endpoints: [{ addresses }] });
const withPorts = (...ports: object[]) => ({ ports });
const withHints = (hints: object) => ({ endpoints: [{ addresses: ["10.0.0.1"], hints }] });
const names = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `n${i}` }));

export const discoveryScenes: readonly Scene[] = [
  kindScene({
    name: "endpoint slices",
    path,
    object: {
      kind: "EndpointSlice",
      apiVersion: "discovery.k8s.io/v1",
      metadata: { name: "e" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"] }, { addresses: ["10.0.0.2", "10.0.0.3"] }, { addresses: ["10.0.0.4"] }],
      ports: [{ port: 80 }, { name: "a" }],
    },
    others: {
      "without anything": { addressType: undefined, endpoints: undefined, ports: undefined },
      "of no endpoints": { endpoints: undefined, ports: undefined },
      "of a type nobody knows": { addressType: "X" },
      "with all": {
        endpoints: [
          {
            addresses: ["10.0.0.1"],
            conditions: { ready: true, serving: false, terminating: true },
            hostname: "h",
            nodeName: "n",
            zone: "z",
            hints: { forZones: [{ name: "z" }], forNodes: [{ name: "n" }] },
            targetRef: { kind: "Pod", name: "p" },
            deprecatedTopology: { a: "b" },
          },
        ],
        ports: [{ name: "a", port: 80, protocol: "UDP", appProtocol: "a.b/c" }],
      },
      "with names": withAddresses("FQDN", "a.b", "a.b."),
      "with bad names": withAddresses("FQDN", "", "a", "A_b", `${"a".repeat(64)}.b`),
      "with six": withAddresses("IPv6", "2001:db8::1"),
      "with bad six": withAddresses("IPv6", "10.0.0.1", "2001:DB8::1", "::1", "fe80::1", "ff02::1", "::", "a"),
      "with bad four": withAddresses(
        "IPv4",
        "2001:db8::1",
        "10.0.0.01",
        "127.0.0.1",
        "169.254.0.1",
        "224.0.0.1",
        "0.0.0.0",
        "a",
      ),
      "with an address in capitals": withAddresses("IPv4", "2001:DB8::1"),
      "with no addresses": withAddresses("IPv4"),
      "with many addresses": withAddresses("IPv4", ...Array.from({ length: 101 }, () => "10.0.0.1")),
      "with many endpoints": { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ["10.0.0.1"] })) },
      "with bad endpoints": { endpoints: [{ addresses: ["10.0.0.1"], hostname: "A_b", nodeName: "A_b" }] },
      "with bad ports": withPorts(
        { name: "A_b", protocol: "X", appProtocol: "a b" },
        {},
        {},
        { name: "a" },
        { name: "a" },
      ),
      "with bad hints": withHints({
        forZones: [{ name: "a" }, { name: "a" }, { name: "a b" }],
        forNodes: [{ name: "a" }, { name: "a" }, { name: "A_b" }],
      }),
      "with many hints": withHints({ forZones: names(9) }),
      "with many hints of nodes": withHints({ forNodes: names(9) }),
    },
    changes: {
      "kept by anybody": { metadata: { finalizers: ["x"] } },
      "let go": { metadata: { finalizers: null } },
      "given a bad prefix": { metadata: { generateName: "A_b" } },
      "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
      "of another type": { addressType: "IPv6" },
      "with a label": { metadata: { labels: { c: "d" } } },
      "with an annotation": { metadata: { annotations: { c: "d" } } },
      "with other ports": { ports: [{ port: 81 }] },
      "with bad addresses": { endpoints: [{ addresses: ["a"] }] },
    },
    steps: [
      changed("with an endpoint", { endpoints: [{ addresses: ["10.0.0.7"] }] }),
      changed("with an old topology", { endpoints: [{ addresses: ["10.0.0.7"], deprecatedTopology: { a: "b" } }] }),
      changed("with no ports to speak of", { ports: [{}] }),
      { title: "with no ports to speak of, as a table", path: `${path}/e`, headers: table },
    ],
  }),
];
