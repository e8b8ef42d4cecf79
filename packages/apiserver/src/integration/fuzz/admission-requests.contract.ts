// Requests that plugins have something to say about: each is made for one of them, by the user whom it concerns, in the world of admission-world.contract.ts.
import { mastersPem, requestPem } from "../certificate-request.contract.ts";
import { type UserName, worldNode } from "./admission-world.contract.ts";
import type { Draw } from "./draw.contract.ts";
import type { Sketch } from "./good-requests.contract.ts";

export interface Uids {
  readonly node: string;
  readonly pod: string;
}

export interface AimedRequest {
  readonly sketch: Sketch;
  readonly user: UserName;
}

const core = (namespace = "default") => `/api/v1/namespaces/${namespace}`;
const mergeType = { "content-type": "application/merge-patch+json" };

const sketchOf = (method: string, path: string, value?: unknown): Sketch => ({
  method,
  path,
  query: [],
  headers: method === "PATCH" ? { ...mergeType } : {},
  value,
  encoding: "json",
});

const container = (more: object = {}) => ({ name: "c", image: "i", ...more });
const pod = (spec: object, metadata: object = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { generateName: "gen-", ...metadata },
  spec: { containers: [container()], ...spec },
});
const withCpu = (requests: string, limits: string) => ({
  containers: [container({ resources: { requests: { cpu: requests }, limits: { cpu: limits } } })],
});
const claim = (storage: string) => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  metadata: { generateName: "gen-" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
const signingRequest = (signerName: string, pem: string) => ({
  kind: "CertificateSigningRequest",
  apiVersion: "certificates.k8s.io/v1",
  metadata: { generateName: "gen-" },
  spec: { signerName, request: Buffer.from(pem).toString("base64"), usages: ["client auth"] },
});

/** By anybody who may. */
const ofAll: readonly (() => Sketch)[] = [
  () => sketchOf("POST", `${core("limited")}/pods`, pod(withCpu("10m", "1"))),
  () => sketchOf("POST", `${core("limited")}/pods`, pod(withCpu("1", "2"))),
  () =>
    sketchOf("POST", `${core("limited")}/configmaps`, {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { generateName: "gen-" },
    }),
  () => sketchOf("POST", `${core("limited")}/persistentvolumeclaims`, claim("2Gi")),
  () => sketchOf("POST", `${core("secure")}/pods`, pod({ hostNetwork: true })),
  () =>
    sketchOf("POST", `${core("ending")}/configmaps`, { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } }),
  () => sketchOf("POST", `${core()}/pods`, pod({ priorityClassName: "none" })),
  () => sketchOf("POST", `${core()}/pods`, pod({ runtimeClassName: "none" })),
  () => sketchOf("POST", `${core()}/pods`, pod({ runtimeClassName: "w-runtime", nodeSelector: { a: "c" } })),
  () => sketchOf("POST", `${core()}/pods`, pod({ serviceAccountName: "none" })),
  () => sketchOf("POST", `${core()}/pods`, pod({ nodeName: worldNode })),
  () => sketchOf("POST", `${core()}/persistentvolumeclaims`, claim("1Gi")),
  () =>
    sketchOf("PATCH", `${core()}/persistentvolumeclaims/w-claim`, {
      spec: { resources: { requests: { storage: "2Gi" } } },
    }),
  () => sketchOf("PATCH", `${core()}/pods/w-pod/resize`, { spec: { resources: { requests: { cpu: "200m" } } } }),
  () =>
    sketchOf("PATCH", `${core()}/pods/w-pod/resize`, {
      spec: { containers: [container({ resources: { requests: { cpu: "900m" } } })] },
    }),
  () =>
    sketchOf("PATCH", `${core()}/pods/w-small/resize`, {
      spec: { containers: [container({ resources: { requests: { cpu: "8" } } })] },
    }),
  () =>
    sketchOf("POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", {
      kind: "Ingress",
      apiVersion: "networking.k8s.io/v1",
      metadata: { generateName: "gen-" },
      spec: { defaultBackend: { service: { name: "s", port: { number: 1 } } } },
    }),
  () =>
    sketchOf(
      "POST",
      "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      signingRequest("kubernetes.io/kube-apiserver-client", mastersPem),
    ),
  () =>
    sketchOf("PATCH", "/apis/certificates.k8s.io/v1/certificatesigningrequests/csr/approval", {
      status: { conditions: [{ type: "Approved", status: "True", reason: "a" }] },
    }),
  () =>
    sketchOf("PATCH", "/apis/certificates.k8s.io/v1/certificatesigningrequests/csr/status", {
      metadata: { labels: { a: "b" } },
    }),
  () =>
    sketchOf("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {
      kind: "PriorityClass",
      apiVersion: "scheduling.k8s.io/v1",
      metadata: { generateName: "gen-" },
      value: 1,
      globalDefault: true,
    }),
];

/** By the node, about itself and about others. */
const ofNodes: readonly ((uids: Uids) => Sketch)[] = [
  ({ node }) =>
    sketchOf(
      "POST",
      `${core()}/pods`,
      pod(
        { nodeName: worldNode },
        {
          annotations: { "kubernetes.io/config.mirror": "x" },
          ownerReferences: [{ apiVersion: "v1", kind: "Node", name: worldNode, uid: node, controller: true }],
        },
      ),
    ),
  () => sketchOf("POST", `${core()}/pods`, pod({ nodeName: worldNode })),
  () => sketchOf("PATCH", `${core()}/pods/w-pod/status`, { status: { phase: "Running" } }),
  () => sketchOf("PATCH", `${core()}/pods/w-pod/status`, { metadata: { labels: { a: "b" } } }),
  () => sketchOf("PATCH", `${core()}/pods/w-other/status`, { status: { phase: "Running" } }),
  () =>
    sketchOf("POST", `${core()}/pods/w-other/eviction`, {
      kind: "Eviction",
      apiVersion: "policy/v1",
      metadata: { name: "w-other" },
    }),
  () => sketchOf("DELETE", `${core()}/pods`),
  () =>
    sketchOf("PATCH", `/api/v1/nodes/${worldNode}`, {
      metadata: { labels: { "node-restriction.kubernetes.io/a": "b" } },
    }),
  () =>
    sketchOf("PATCH", `/api/v1/nodes/${worldNode}/status`, {
      status: { conditions: [{ type: "Ready", status: "True" }] },
    }),
  () =>
    sketchOf("PATCH", `${core()}/persistentvolumeclaims/w-claim/status`, { status: { capacity: { storage: "2Gi" } } }),
  () => sketchOf("PATCH", `${core()}/persistentvolumeclaims/w-claim/status`, { metadata: { labels: { a: "<&>" } } }),
  ({ pod: uid }) =>
    sketchOf("POST", `${core()}/serviceaccounts/default/token`, {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      spec: { audiences: ["vault"], boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "w-pod", uid } },
    }),
  () =>
    sketchOf("POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: { name: worldNode },
    }),
  () =>
    sketchOf("POST", "/apis/storage.k8s.io/v1/csinodes", {
      kind: "CSINode",
      apiVersion: "storage.k8s.io/v1",
      metadata: { name: worldNode },
      spec: { drivers: [] },
    }),
  () =>
    sketchOf("POST", "/apis/resource.k8s.io/v1/resourceslices", {
      kind: "ResourceSlice",
      apiVersion: "resource.k8s.io/v1",
      metadata: { generateName: "gen-" },
      spec: { driver: "d.e", nodeName: worldNode, pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
    }),
  () =>
    sketchOf(
      "POST",
      "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      signingRequest("kubernetes.io/kubelet-serving", requestPem),
    ),
];

export function aimedRequest(draw: Draw, uids: Uids): AimedRequest {
  if (draw.oneIn(3)) return { sketch: draw.from(ofNodes)(uids), user: "node" };
  return { sketch: draw.from(ofAll)(), user: draw.oneIn(3) ? "account" : "admin" };
}
