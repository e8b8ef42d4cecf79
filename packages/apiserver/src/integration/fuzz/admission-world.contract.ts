// What a fuzzed server holds before the first request, so that every admission plugin has something to decide: namespaces with limits, a quota, a level of
// pod security and one that ends, classes that are defaults, a node with a pod on it, and accounts. And who asks: several users, whom plugins tell apart.
import { type ApiRequest, collectBytes, type Transport } from "@kubeloop/core/api";
import type { UserDescription } from "../../authentication/users.ts";

export const worldNode = "w-node";

/** Namespaces in which a plugin refuses something. */
export const worldNamespaces: readonly string[] = ["limited", "secure", "ending"];

const admin: UserDescription = { name: "system:admin", groups: ["system:masters"] };
const node: UserDescription = { name: `system:node:${worldNode}`, groups: ["system:nodes"] };
const account: UserDescription = {
  name: "system:serviceaccount:default:default",
  groups: ["system:serviceaccounts", "system:serviceaccounts:default"],
};
const anonymous: UserDescription = { name: "system:anonymous", groups: ["system:unauthenticated"] };

export const users = { admin, node, account, anonymous } as const;
export type UserName = keyof typeof users;
/** As often as they ask. */
export const userNames: readonly UserName[] = [
  "admin",
  "admin",
  "admin",
  "admin",
  "node",
  "node",
  "account",
  "anonymous",
];

interface WorldStep {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const post = (path: string, body: object): WorldStep => ({ method: "POST", path, body });
const merge = (path: string, body: object): WorldStep => ({ method: "PATCH", path, body });
const isDefault = (group: string) => ({ annotations: { [`${group}.kubernetes.io/is-default-class`]: "true" } });
const core = (namespace: string) => `/api/v1/namespaces/${namespace}`;
const pod = (name: string, spec: object) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const hard = { configmaps: "1", "requests.cpu": "1", "count/services": "0" };

const steps: readonly WorldStep[] = [
  post("/api/v1/namespaces", { metadata: { name: "limited" } }),
  post("/api/v1/namespaces", {
    metadata: {
      name: "secure",
      labels: { "pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted" },
    },
  }),
  post("/api/v1/namespaces", { metadata: { name: "ending" } }),
  ...["default", ...worldNamespaces].map((name) =>
    post(`${core(name)}/serviceaccounts`, { metadata: { name: "default" } }),
  ),
  { method: "DELETE", path: "/api/v1/namespaces/ending" },
  post(`${core("limited")}/limitranges`, {
    metadata: { name: "limits" },
    spec: {
      limits: [
        {
          type: "Container",
          default: { cpu: "1" },
          defaultRequest: { cpu: "100m" },
          min: { cpu: "50m" },
          max: { cpu: "2" },
        },
        { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
      ],
    },
  }),
  post(`${core("limited")}/resourcequotas`, { metadata: { name: "quota" }, spec: { hard } }),
  merge(`${core("limited")}/resourcequotas/quota/status`, {
    status: { hard, used: { configmaps: "1", "requests.cpu": "0", "count/services": "0" } },
  }),
  post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "w-high" }, value: 7, globalDefault: true }),
  post("/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "w-default", ...isDefault("storageclass") },
    provisioner: "example.com/p",
    allowVolumeExpansion: true,
  }),
  post("/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "w-fixed" }, provisioner: "example.com/p" }),
  post("/apis/storage.k8s.io/v1/csidrivers", {
    metadata: { name: "w.example.com" },
    spec: { tokenRequests: [{ audience: "vault" }] },
  }),
  post("/apis/networking.k8s.io/v1/ingressclasses", {
    metadata: { name: "w-ingress", ...isDefault("ingressclass") },
    spec: { controller: "example.com/c" },
  }),
  post("/apis/node.k8s.io/v1/runtimeclasses", {
    metadata: { name: "w-runtime" },
    handler: "h",
    overhead: { podFixed: { cpu: "10m" } },
    scheduling: { nodeSelector: { a: "b" } },
  }),
  post("/api/v1/nodes", {
    metadata: { name: worldNode, labels: { "topology.kubernetes.io/zone": "z" } },
    status: { capacity: { cpu: "4", memory: "4Gi" }, allocatable: { cpu: "4", memory: "4Gi" } },
  }),
  post(
    `${core("default")}/pods`,
    pod("w-pod", {
      nodeName: worldNode,
      resources: { requests: { cpu: "100m" }, limits: { cpu: "1" } },
      volumes: [{ name: "v", csi: { driver: "w.example.com" } }],
    }),
  ),
  post(
    `${core("default")}/pods`,
    pod("w-small", {
      nodeName: worldNode,
      containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }],
    }),
  ),
  post(`${core("default")}/pods`, pod("w-other", { nodeName: "elsewhere" })),
  post(`${core("default")}/persistentvolumeclaims`, {
    metadata: { name: "w-claim" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "w-fixed", resources: { requests: { storage: "1Gi" } } },
  }),
  merge(`${core("default")}/persistentvolumeclaims/w-claim/status`, {
    status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
  }),
];

/** Throws where the server refuses a part of it. */
export async function makeWorld(transport: Transport, signal: AbortSignal): Promise<void> {
  for (const { method, path, body } of steps) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const request: ApiRequest = {
      method,
      path,
      query: [],
      headers: body === undefined ? {} : { "content-type": type },
      body: body === undefined ? { kind: "none" } : { kind: "bytes", bytes: Buffer.from(JSON.stringify(body)) },
      prefers: "bytes",
    };
    await using response = await transport(request, signal);
    if (response.status < 300) continue;
    const { body: said } = response;
    const text = said.kind === "bytes" ? await collectBytes(said.bytes, { maxBytes: 100_000 }) : new Uint8Array();
    throw new Error(`${method} ${path}: ${response.status} ${Buffer.from(text).toString("utf8")}`);
  }
}
