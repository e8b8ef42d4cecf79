// What nodes write: requests in the name of node {ns}, which is one of the masters here, so that on both servers authorization lets everything through
// and NodeRestriction alone decides.
import { requestPem } from "../certificate-request.contract.ts";
import { after, ask, get, merge, post, put, remove } from "./ask.contract.ts";
import type { Answered, NextStep, Scene, Step } from "./request-script.contract.ts";

const core = "/api/v1/namespaces/{ns}";
const asNode = {
  headers: { "impersonate-user": "system:node:{ns}", "impersonate-group": ["system:nodes", "system:masters"] },
};
const asNobody = {
  headers: { "impersonate-user": "system:node:", "impersonate-group": ["system:nodes", "system:masters"] },
};
const spec = { containers: [{ name: "c", image: "i" }] };
const pod = (name: string, nodeName: string) => ({ metadata: { name }, spec: { ...spec, nodeName } });
const mirror = { "kubernetes.io/config.mirror": "x" };
/** Meanwhile the caches of a real server catch up. */
const pause = (what: string, path: string): readonly Step[] =>
  Array.from({ length: 12 }, (_, i) => get(`${what} ${i}`, path));

const node = post("the node", "/api/v1/nodes", { metadata: { name: "{ns}" } });
const nodes: readonly NextStep[] = [node, ...pause("the node, seen", "/api/v1/nodes/{ns}")];
const withoutNode = remove("the node, deleted", "/api/v1/nodes/{ns}");

/** A mirror pod, changed in one way. */
const mirrorPod = (
  title: string,
  more: { readonly spec?: object; readonly metadata?: object; readonly owner?: object },
) =>
  after("the node", ({ uid }) => {
    const owner = { apiVersion: "v1", kind: "Node", name: "{ns}", uid, controller: true, ...more.owner };
    const metadata = { name: "mirror", annotations: mirror, ownerReferences: [owner], ...more.metadata };
    return post(title, `${core}/pods`, { metadata, spec: { ...spec, nodeName: "{ns}", ...more.spec } }, asNode);
  });

const volume = (source: object) => ({ spec: { volumes: [{ name: "v", ...source }] } });
const projected = (source: object) => volume({ projected: { sources: [source] } });
const variable = (valueFrom: object) => ({
  spec: { containers: [{ name: "c", image: "i", env: [{ name: "V", valueFrom }] }] },
});

const references: readonly (readonly [title: string, more: { readonly spec: object }])[] = [
  ["an account", { spec: { serviceAccountName: "default" } }],
  ["a secret to pull with", { spec: { imagePullSecrets: [{ name: "s" }] } }],
  ["a secret in a variable", variable({ secretKeyRef: { name: "s", key: "k" } })],
  ["a secret in a volume", volume({ secret: { secretName: "s" } })],
  ["a secret of a driver", volume({ csi: { driver: "d.e", nodePublishSecretRef: { name: "s" } } })],
  ["a map in a variable", variable({ configMapKeyRef: { name: "m", key: "k" } })],
  ["a map in a volume", volume({ configMap: { name: "m" } })],
  ["a map without a name", volume({ configMap: {} })],
  ["a resource claim", { spec: { resourceClaims: [{ name: "r", resourceClaimName: "r" }] } }],
  ["a driver", volume({ csi: { driver: "d.e" } })],
  ["a claim", volume({ persistentVolumeClaim: { claimName: "p" } })],
  ["a claim of its own", volume({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"] } } } })],
  ["endpoints", volume({ glusterfs: { endpoints: "e", path: "p" } })],
  ["a share", volume({ azureFile: { secretName: "", shareName: "s" } })],
  ["a projected map", projected({ configMap: { name: "m" } })],
  ["a projected secret", projected({ secret: { name: "s" } })],
  ["a token", projected({ serviceAccountToken: { path: "t" } })],
  ["a trust bundle", projected({ clusterTrustBundle: { name: "b", path: "t" } })],
  ["an unknown source", projected({})],
];

const podScenes: readonly Scene[] = [
  {
    name: "mirror pods of a node",
    steps: [
      ...nodes,
      post("no mirror", `${core}/pods`, pod("plain", "{ns}"), asNode),
      post("by a node without a name", `${core}/pods`, pod("plain", "{ns}"), asNobody),
      mirrorPod("on another node", { spec: { nodeName: "other" } }),
      mirrorPod("without an owner", { metadata: { ownerReferences: [] } }),
      after("the node", ({ uid }) => {
        const owner = { apiVersion: "v1", kind: "Node", name: "{ns}", uid, controller: true };
        const metadata = {
          name: "m",
          annotations: mirror,
          ownerReferences: [owner, { ...owner, name: "b", uid: "b" }],
        };
        return post("with two owners", `${core}/pods`, { metadata, spec: { ...spec, nodeName: "{ns}" } }, asNode);
      }),
      mirrorPod("of another kind of owner", { owner: { kind: "Pod" } }),
      mirrorPod("of another owner", { owner: { name: "other" } }),
      mirrorPod("without a controller", { owner: { controller: false } }),
      mirrorPod("that blocks", { owner: { blockOwnerDeletion: true } }),
      mirrorPod("of an earlier node", { owner: { uid: "earlier" } }),
      ...references.map(([title, more]) => mirrorPod(`that refers to ${title}`, more)),
      mirrorPod("as it should be", {}),
      ...pause("the mirror", `${core}/pods/mirror`),
      remove("the mirror, deleted", `${core}/pods/mirror`, { gracePeriodSeconds: 0 }, asNode),
      withoutNode,
      ...pause("the node, gone", "/api/v1/nodes/{ns}"),
      mirrorPod("of a node that has gone", {}),
    ],
  },
  {
    name: "pods of a node",
    steps: [
      post("its own", `${core}/pods`, pod("own", "{ns}")),
      post("a foreign one", `${core}/pods`, pod("foreign", "other")),
      ...pause("its own, seen", `${core}/pods/own`),
      merge("an update", `${core}/pods/own`, { metadata: { labels: { a: "b" } } }, asNode),
      merge("its status", `${core}/pods/own/status`, { status: { phase: "Running" } }, asNode),
      merge("a foreign status", `${core}/pods/foreign/status`, { status: { phase: "Running" } }, asNode),
      merge("labels through status", `${core}/pods/own/status`, { metadata: { labels: { a: "b" } } }, asNode),
      merge(
        "claims through status",
        `${core}/pods/own/status`,
        { status: { resourceClaimStatuses: [{ name: "r", resourceClaimName: "c" }] } },
        asNode,
      ),
      merge(
        "extended claims through status",
        `${core}/pods/own/status`,
        {
          status: {
            extendedResourceClaimStatus: {
              resourceClaimName: "c",
              requestMappings: [{ containerName: "c", resourceName: "e.f/g", requestName: "r" }],
            },
          },
        },
        asNode,
      ),
      post("a binding", `${core}/pods/own/binding`, { metadata: { name: "own" }, target: { name: "{ns}" } }, asNode),
      merge("a resize", `${core}/pods/own/resize`, { metadata: { labels: { a: "b" } } }, asNode),
      merge("a debugger", `${core}/pods/own/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }, asNode),
      post(
        "an eviction",
        `${core}/pods/own/eviction`,
        { metadata: { name: "own" } },
        { ...asNode, query: { dryRun: "All" } },
      ),
      post("a foreign eviction", `${core}/pods/foreign/eviction`, { metadata: { name: "foreign" } }, asNode),
      post("an eviction of none", `${core}/pods/none/eviction`, { metadata: { name: "none" } }, asNode),
      remove("a foreign one, deleted", `${core}/pods/foreign`, undefined, asNode),
      remove("one that is not there, deleted", `${core}/pods/none`, undefined, asNode),
      remove("all of them, deleted", `${core}/pods`, undefined, asNode),
      get("both are still there", `${core}/pods`),
      remove("its own, deleted", `${core}/pods/own`, { gracePeriodSeconds: 0 }, asNode),
      remove("the foreign one, by the administrator", `${core}/pods/foreign`, { gracePeriodSeconds: 0 }),
    ],
  },
];

const nodeStatus = "/api/v1/nodes/{ns}/status";
const label = (key: string, value: string | null = "x") => ({ metadata: { labels: { [key]: value } } });

const nodeScenes: readonly Scene[] = [
  {
    name: "the node of a node",
    steps: [
      post("another's", "/api/v1/nodes", { metadata: { name: "other" } }, asNode),
      post("without a name", "/api/v1/nodes", { metadata: { generateName: "gen-" } }, asNode),
      post(
        "with labels",
        "/api/v1/nodes",
        { metadata: { name: "{ns}", labels: { "k8s.io/b": "", "a.k8s.io/a": "" } } },
        asNode,
      ),
      post(
        "restricted",
        "/api/v1/nodes",
        { metadata: { name: "{ns}", labels: { "a.node-restriction.kubernetes.io/a": "" } } },
        asNode,
      ),
      post(
        "configured",
        "/api/v1/nodes",
        {
          metadata: { name: "{ns}" },
          spec: { configSource: { configMap: { name: "a", namespace: "b", kubeletConfigKey: "c" } } },
        },
        asNode,
      ),
      post(
        "its own",
        "/api/v1/nodes",
        {
          metadata: {
            name: "{ns}",
            labels: { "kubernetes.io/hostname": "h", "b.node.kubernetes.io/a": "x", plain: "x" },
          },
          spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
        },
        asNode,
      ),
      merge("plain labels", "/api/v1/nodes/{ns}", label("example.com/a"), asNode),
      merge("kubelet's labels", "/api/v1/nodes/{ns}", label("a.kubelet.kubernetes.io/a"), asNode),
      merge("Kubernetes' labels", "/api/v1/nodes/{ns}", label("node-role.kubernetes.io/a"), asNode),
      merge("restricted labels", "/api/v1/nodes/{ns}", label("node-restriction.kubernetes.io/a"), asNode),
      merge("by the administrator", "/api/v1/nodes/{ns}", label("node-restriction.kubernetes.io/a")),
      merge("such a label removed", "/api/v1/nodes/{ns}", label("node-restriction.kubernetes.io/a", null), asNode),
      merge("taints", "/api/v1/nodes/{ns}", { spec: { taints: null } }, asNode),
      merge("taints through status", nodeStatus, { spec: { taints: [] } }, asNode),
      merge(
        "owners",
        "/api/v1/nodes/{ns}",
        { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "b" }] } },
        asNode,
      ),
      merge(
        "a source of configuration",
        "/api/v1/nodes/{ns}",
        { spec: { configSource: { configMap: { name: "a", namespace: "b", kubeletConfigKey: "c" } } } },
        asNode,
      ),
      merge("its status", nodeStatus, { status: { conditions: [{ type: "Ready", status: "True" }] } }, asNode),
      put("its status without taints", nodeStatus, { metadata: { name: "{ns}" } }, asNode),
      merge("another's status", "/api/v1/nodes/other/status", { status: {} }, asNode),
      remove("another's, deleted", "/api/v1/nodes/other", undefined, asNode),
      post("another's, by the administrator", "/api/v1/nodes", { metadata: { name: "{ns}-other" } }),
      merge("another's label", "/api/v1/nodes/{ns}-other", label("a"), asNode),
      remove("all nodes of a label, deleted", "/api/v1/nodes", undefined, {
        ...asNode,
        query: { labelSelector: "plain" },
      }),
      remove("its own, deleted", "/api/v1/nodes/{ns}", undefined, asNode),
      remove("another's, by the administrator, deleted", "/api/v1/nodes/{ns}-other"),
    ],
  },
];

const claims = `${core}/persistentvolumeclaims`;
const claim = {
  metadata: { name: "p" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const claimOf = ({ body }: Answered) =>
  body as { readonly metadata: object; readonly spec: object; readonly status: object };

const claimScenes: readonly Scene[] = [
  {
    name: "claims of a node",
    steps: [
      post("made by it", claims, claim, asNode),
      post("made", claims, claim),
      merge("changed", `${claims}/p`, { metadata: { labels: { a: "b" } } }, asNode),
      merge("its capacity", `${claims}/p/status`, { status: { capacity: { storage: "1Gi" } } }, asNode),
      merge(
        "its conditions",
        `${claims}/p/status`,
        { status: { conditions: [{ type: "Resizing", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" }] } },
        asNode,
      ),
      merge(
        "its allocated resources",
        `${claims}/p/status`,
        {
          status: {
            allocatedResources: { storage: "2Gi" },
            allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
          },
        },
        asNode,
      ),
      merge("its labels", `${claims}/p/status`, { metadata: { labels: { a: "b", c: "<&>" } } }, asNode),
      merge("its finalizers", `${claims}/p/status`, { metadata: { finalizers: ["a.b/c"] } }, asNode),
      merge("its phase", `${claims}/p/status`, { status: { phase: "Lost" } }, asNode),
      merge("its size and class", `${claims}/p/status`, { spec: { storageClassName: "x", volumeName: "y" } }, asNode),
      merge(
        "its class of attributes",
        `${claims}/p/status`,
        { status: { currentVolumeAttributesClassName: "x", modifyVolumeStatus: { status: "Pending" } } },
        asNode,
      ),
      after("its conditions", (_, answer) => {
        const { metadata, spec: held, status } = claimOf(answer);
        const resources = { requests: { storage: "1024Mi" } };
        return put(
          "whole, and the same",
          `${claims}/p/status`,
          { metadata: { ...metadata, resourceVersion: "" }, spec: { ...held, resources }, status },
          asNode,
        );
      }),
      put("whole, without its uid", `${claims}/p/status`, claim, asNode),
      remove("deleted", `${claims}/p`, undefined, asNode),
      merge("let go", `${claims}/p`, { metadata: { finalizers: null } }),
      remove("deleted by the administrator", `${claims}/p`),
    ],
  },
];

const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const slices = "/apis/resource.k8s.io/v1/resourceslices";
const slice = (name: string, nodeName: string) => ({
  metadata: { name },
  spec: { driver: "d.e", nodeName, pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
});
const signing = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const signingRequest = (signerName: string, pem: string) => ({
  metadata: { name: "{ns}" },
  spec: { signerName, request: Buffer.from(pem).toString("base64"), usages: ["digital signature", "server auth"] },
});
const serving = "kubernetes.io/kubelet-serving";
const tokens = `${core}/serviceaccounts/robot/token`;
const token = (title: string, tokenSpec: object, more = asNode) =>
  ask("POST")(title, tokens, { spec: tokenSpec }, more);
const boundTo = (name: string, uid: string) => ({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } });

const otherScenes: readonly Scene[] = [
  {
    name: "leases, drivers, slices and certificates of a node",
    steps: [
      post("its lease", leases("kube-node-lease"), lease("{ns}"), asNode),
      merge("its lease, renewed", `${leases("kube-node-lease")}/{ns}`, { spec: { leaseDurationSeconds: 41 } }, asNode),
      post("another's lease", leases("kube-node-lease"), lease("other"), asNode),
      post("a lease without a name", leases("kube-node-lease"), { metadata: { generateName: "gen-" } }, asNode),
      post("a lease elsewhere", leases("{ns}"), lease("{ns}"), asNode),
      remove("its lease, deleted", `${leases("kube-node-lease")}/{ns}`, undefined, asNode),
      post(
        "its drivers",
        "/apis/storage.k8s.io/v1/csinodes",
        { metadata: { name: "{ns}" }, spec: { drivers: [{ name: "d.e", nodeID: "a" }] } },
        asNode,
      ),
      post(
        "another's drivers",
        "/apis/storage.k8s.io/v1/csinodes",
        { metadata: { name: "o" }, spec: { drivers: [{ name: "d.e", nodeID: "a" }] } },
        asNode,
      ),
      remove("its drivers, deleted", "/apis/storage.k8s.io/v1/csinodes/{ns}", undefined, asNode),
      post("its slice", slices, slice("{ns}-a", "{ns}"), asNode),
      post("another's slice", slices, slice("{ns}-b", "other"), asNode),
      post("another's slice, by the administrator", slices, slice("{ns}-b", "other")),
      merge("another's slice, changed", `${slices}/{ns}-b`, { metadata: { labels: { a: "b" } } }, asNode),
      remove("another's slice, deleted", `${slices}/{ns}-b`, undefined, asNode),
      remove("all slices, deleted", slices, undefined, { ...asNode, query: { labelSelector: "a=b" } }),
      remove("its slice, deleted", `${slices}/{ns}-a`, undefined, asNode),
      remove("another's slice, deleted by the administrator", `${slices}/{ns}-b`),
      post("another's certificate", signing, signingRequest(serving, requestPem), asNode),
      post("no certificate", signing, signingRequest(serving, "nonsense"), asNode),
      post("a certificate by another", signing, { ...signingRequest("e.f/g", requestPem) }, asNode),
      remove("the request, deleted", `${signing}/{ns}`, undefined, asNode),
    ],
  },
  {
    name: "tokens for a node",
    steps: [
      post("an account", `${core}/serviceaccounts`, { metadata: { name: "robot" } }),
      post("a pod", `${core}/pods`, pod("own", "{ns}")),
      post("a foreign pod", `${core}/pods`, pod("foreign", "other")),
      ...pause("the pod", `${core}/pods/own`),
      token("for nothing", {}),
      token("for a secret", { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "a", uid: "b" } }),
      token("for a pod without a uid", boundTo("own", "")),
      token("for a pod of another uid", boundTo("own", "other")),
      token("for a pod that is not there", boundTo("none", "other")),
      after("a foreign pod", ({ uid }) => token("for a foreign pod", boundTo("foreign", uid))),
      after("a pod", ({ uid }) => token("for two audiences", { ...boundTo("own", uid), audiences: ["a", "b"] })),
      post("an account by it", `${core}/serviceaccounts`, { metadata: { name: "by-node" } }, asNode),
      remove("the pod, deleted", `${core}/pods/own`, { gracePeriodSeconds: 0 }),
      remove("the foreign pod, deleted", `${core}/pods/foreign`, { gracePeriodSeconds: 0 }),
    ],
  },
];

export const nodeRestrictionScenes: readonly Scene[] = [...podScenes, ...nodeScenes, ...claimScenes, ...otherScenes];
