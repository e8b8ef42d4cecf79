// Ingresses, network policies and the addresses of services.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

/** In every way a change can be that is looked at for all kinds. */
const wrongMetadata = {
  metadata: { generateName: "A_b", labels: { "a b": "c" }, finalizers: ["x"], deletionGracePeriodSeconds: 5 },
};

const group = "/apis/networking.k8s.io/v1";
const apiVersion = "networking.k8s.io/v1";
const service = { name: "s", port: { number: 80 } };
const backend = { service };
const path = { path: "/", pathType: "Prefix", backend };
const withPath = (more: object) => ({ spec: { rules: [{ http: { paths: [{ ...path, ...more }] } }] } });
const withBackend = (defaultBackend: object) => ({ spec: { defaultBackend } });

const ingressScene = kindScene({
  name: "ingresses",
  path: `${group}/namespaces/{ns}/ingresses`,
  object: {
    kind: "Ingress",
    apiVersion,
    metadata: { name: "i" },
    spec: { defaultBackend: backend, rules: [{ host: "a.b" }, { host: "c.d", http: { paths: [path] } }] },
    status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
  },
  others: {
    "with nothing": { spec: { defaultBackend: undefined, rules: undefined } },
    "without a spec": { spec: undefined },
    "with a backend of nothing": withBackend({}),
    "with two backends": withBackend({ service, resource: { kind: "a", name: "b" } }),
    "with a resource": withBackend({ resource: { apiGroup: "a.b", kind: "K", name: "n" } }),
    "with a bad resource": withBackend({ resource: { apiGroup: "A_b", kind: "a/b", name: "" } }),
    "with a service without a name": withBackend({ service: { port: { name: "http" } } }),
    "with a bad service": withBackend({ service: { name: "A_b", port: { number: 70000 } } }),
    "with two ports": withBackend({ service: { name: "a", port: { number: 1, name: "a" } } }),
    "with no port": withBackend({ service: { name: "a" } }),
    "with a bad port name": withBackend({ service: { name: "7s", port: { name: "A--b" } } }),
    "with hosts that are none": {
      spec: { rules: [{ host: "1.2.3.4" }, { host: "A_b" }, { host: "*.a.b" }, { host: "a.*" }] },
    },
    "with no paths": { spec: { rules: [{ http: {} }] } },
    "with no type of path": withPath({ pathType: undefined }),
    "with a type nobody knows": withPath({ pathType: "Nonsense" }),
    "with a relative path": withPath({ path: "a" }),
    "with odd paths": withPath({ path: "/a//b/./c/../d%2fe%2F/.." }),
    "with a path that ends oddly": withPath({ path: "/a/." }),
    "with any path": withPath({ pathType: "ImplementationSpecific", path: undefined }),
    "with any relative path": withPath({ pathType: "ImplementationSpecific", path: "a" }),
    "with an exact path of nothing": withPath({ pathType: "Exact", path: "" }),
    "with certificates": { spec: { tls: [{ hosts: ["a.b", "*.c.d"], secretName: "s" }, {}] } },
    "with bad certificates": { spec: { tls: [{ hosts: ["A_b", "*", "a.*"], secretName: "A_b" }] } },
    "of a bad class": { spec: { ingressClassName: "A_b" } },
    "of a class in an annotation": { metadata: { name: "other", annotations: { "kubernetes.io/ingress.class": "a" } } },
    "of two classes": {
      metadata: { name: "other", annotations: { "kubernetes.io/ingress.class": "a" } },
      spec: { ingressClassName: "b" },
    },
    "of one class, said twice": {
      metadata: { name: "other", annotations: { "kubernetes.io/ingress.class": "a" } },
      spec: { ingressClassName: "a" },
    },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given a class": { spec: { ingressClassName: "b" } },
    "given an annotation of another class": { metadata: { annotations: { "kubernetes.io/ingress.class": "a" } } },
    "given a bad rule": { spec: { rules: [{ host: "A_b" }] } },
    "given many hosts": { spec: { rules: ["a", "b", "c", "d", "e"].map((host) => ({ host })), tls: [{}] } },
  },
  throughSubresources: {
    "status: told an address": {
      spec: { ingressClassName: "c" },
      status: {
        loadBalancer: { ingress: [{ ip: "10.0.0.1", ports: [{ port: 80, protocol: "TCP" }] }, { hostname: "a.b" }] },
      },
    },
    "status: told bad addresses": {
      status: {
        loadBalancer: {
          ingress: [
            { ip: "10.0.0.01" },
            { ip: "a" },
            { hostname: "A_b" },
            { hostname: "1.2.3.4" },
            { ip: "::ffff:1.2.3.4" },
          ],
        },
      },
    },
    "status: told an odd address": {
      metadata: { labels: { c: "d" } },
      status: { loadBalancer: { ingress: [{ ip: "2001:DB8::0" }] } },
    },
    "status: told a bad port": {
      status: { loadBalancer: { ingress: [{ ip: "10.0.0.1", ports: [{ port: 0, protocol: "X" }] }] } },
    },
  },
  steps: [
    {
      title: "with an address, as a table",
      path: `${group}/namespaces/{ns}/ingresses/i`,
      headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
    },
  ],
});

const parameters = { apiGroup: "a.b", kind: "K", name: "n" };
const ingressClassScene = kindScene({
  name: "ingress classes",
  path: `${group}/ingressclasses`,
  object: {
    kind: "IngressClass",
    apiVersion,
    metadata: { name: "{ns}-c" },
    spec: { controller: "a.b/c", parameters },
  },
  others: {
    "without anything": { spec: undefined },
    "without parameters": { spec: { parameters: undefined } },
    "with a controller of no domain": { spec: { controller: "a" } },
    "with a controller of a bad domain": { spec: { controller: "A_b/c d" } },
    "with a long controller": { spec: { controller: `a.b/${"c".repeat(250)}` } },
    "with parameters of nothing": { spec: { parameters: {} } },
    "with bad parameters": { spec: { parameters: { apiGroup: "A_b", kind: "a/b", name: "..", scope: "Nonsense" } } },
    "with parameters of a namespace": { spec: { parameters: { ...parameters, scope: "Namespace", namespace: "n" } } },
    "with parameters of no namespace": { spec: { parameters: { ...parameters, scope: "Namespace" } } },
    "with parameters of a bad namespace": {
      spec: { parameters: { ...parameters, scope: "Namespace", namespace: "A_b" } },
    },
    "with parameters of the cluster in a namespace": { spec: { parameters: { ...parameters, namespace: "n" } } },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given another controller": { spec: { controller: "a.b/d" } },
    "given other parameters": { spec: { parameters: { name: "m" } } },
    "made the default": { metadata: { annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } } },
  },
  steps: [
    {
      title: "the default, as a table",
      path: `${group}/ingressclasses/{ns}-c`,
      headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
    },
  ],
});

const from = (peer: object) => ({ spec: { ingress: [{ from: [peer] }] } });
const port = (more: object) => ({ spec: { egress: [{ ports: [more] }] } });
const networkPolicyScene = kindScene({
  name: "network policies",
  path: `${group}/namespaces/{ns}/networkpolicies`,
  object: {
    kind: "NetworkPolicy",
    apiVersion,
    metadata: { name: "p" },
    spec: {
      podSelector: { matchLabels: { a: "b" } },
      ingress: [{ ports: [{ port: 80 }], from: [{ podSelector: {} }] }],
    },
  },
  others: {
    "without anything": { spec: undefined },
    "of everything": { spec: { podSelector: {}, ingress: undefined } },
    "of egress": { spec: { podSelector: {}, egress: [{}] } },
    "of empty lists": { spec: { podSelector: {}, ingress: [], egress: [] } },
    "of a bad selector": {
      spec: { podSelector: { matchLabels: { "a b": "c d" }, matchExpressions: [{ key: "a", operator: "X" }] } },
    },
    "from nobody": from({}),
    "from two": from({ podSelector: {}, namespaceSelector: {} }),
    "from bad selectors": from({
      podSelector: { matchLabels: { "a b": "c" } },
      namespaceSelector: { matchLabels: { "a b": "c" } },
    }),
    "from a block": from({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }),
    "from a block and pods": from({ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }),
    "from a block of nothing": from({ ipBlock: {} }),
    "from a block that is none": from({ ipBlock: { cidr: "10.0.0.0" } }),
    "from odd blocks": from({
      ipBlock: { cidr: "10.0.0.1/8", except: ["010.1.0.0/16", "::ffff:1.2.3.4/96", "a", "11.0.0.0/16", "10.0.0.0/8"] },
    }),
    "from a wide block": from({ ipBlock: { cidr: "2001:DB8::/32", except: ["2001:db8:0::/48", "2001:db9::/48"] } }),
    "to a port of nothing": port({}),
    "to a named port": port({ port: "http", protocol: "UDP" }),
    "to bad ports": {
      spec: { egress: [{ ports: [{ port: 0 }, { port: 70000 }, { port: "A--b" }, { protocol: "X" }] }] },
    },
    "to a range": port({ port: 80, endPort: 90 }),
    "to bad ranges": {
      spec: {
        egress: [
          {
            ports: [
              { port: 80, endPort: 70 },
              { port: "http", endPort: 70 },
              { endPort: 70 },
              { port: 80, endPort: 70000 },
            ],
          },
        ],
      },
    },
    "of types nobody knows": { spec: { policyTypes: ["X", "Ingress"] } },
    "of many types": { spec: { policyTypes: ["Ingress", "Egress", "Ingress"] } },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given egress": { spec: { egress: [{ to: [{ ipBlock: { cidr: "1.0.0.0/8" } }] }] } },
    "given a bad peer": { spec: { ingress: [{ from: [{}] }] } },
    "given the same": { spec: { policyTypes: ["Ingress"] } },
    "given an empty list": { spec: { ingress: [] } },
    "given it once more": { spec: { ingress: [] } },
  },
});

const parentRef = { resource: "services", namespace: "n", name: "s" };
const ipAddressScene = kindScene({
  name: "IP addresses",
  path: `${group}/ipaddresses`,
  object: { kind: "IPAddress", apiVersion, metadata: { name: "192.168.77.5" }, spec: { parentRef } },
  others: {
    "of nobody": { metadata: { name: "1.2.3.4" }, spec: undefined },
    "of nothing": { metadata: { name: "1.2.3.4" }, spec: { parentRef: {} } },
    "of something bad": {
      metadata: { name: "1.2.3.4" },
      spec: { parentRef: { group: "A_b", resource: "a/b", namespace: "a/b", name: "a/b" } },
    },
    "of something in a group": {
      metadata: { name: "1.2.3.4" },
      spec: { parentRef: { group: "A.b", resource: "c", name: "d" } },
    },
    "with zeros": { metadata: { name: "1.2.3.04" } },
    "in capitals": { metadata: { name: "2001-DB8--1" } },
    "in another spelling": { metadata: { name: "2001:db8:0::1" } },
    "of six": { metadata: { name: "2001:db8::1" } },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given another parent": { spec: { parentRef: { name: "t" } } },
    "given no parent": { spec: { parentRef: null } },
  },
  badName: "a",
});

const serviceCidrScene = kindScene({
  name: "service CIDRs",
  path: `${group}/servicecidrs`,
  object: {
    kind: "ServiceCIDR",
    apiVersion,
    metadata: { name: "{ns}-s" },
    spec: { cidrs: ["10.77.0.0/24"] },
    status: { conditions: [] },
  },
  others: {
    "of nothing": { spec: undefined },
    "of three": { spec: { cidrs: ["a", "b", "c"] } },
    "of one family": { spec: { cidrs: ["10.1.0.0/24", "10.2.0.0/24"] } },
    "of two families": { spec: { cidrs: ["10.1.0.0/24", "2001:db8::/64"] } },
    "of odd ones": { spec: { cidrs: ["10.1.0.1/24", "2001:DB8::/64"] } },
    "of none": { spec: { cidrs: ["a", "010.0.0.0/8"] } },
  },
  changes: {
    "with metadata that is wrong": wrongMetadata,
    "given another": { spec: { cidrs: ["10.78.0.0/24"] } },
    "given none": { spec: { cidrs: null } },
    "given a second of its family": { spec: { cidrs: ["10.77.0.0/24", "10.78.0.0/24"] } },
    "given a second": { spec: { cidrs: ["10.77.0.0/24", "2001:db8::/64"] } },
    "given only the second": { spec: { cidrs: ["2001:db8::/64"] } },
  },
  throughSubresources: {
    "status: told a condition": {
      spec: { cidrs: ["10.0.0.0/8"] },
      status: {
        conditions: [
          { type: "Ready", status: "False", reason: "r", message: "m", lastTransitionTime: "2020-01-01T00:00:00Z" },
        ],
      },
    },
  },
});

export const networkingScenes: readonly Scene[] = [
  ingressScene,
  ingressClassScene,
  networkPolicyScene,
  ipAddressScene,
  serviceCidrScene,
];
