// What a node may write and what it may not, in upstream's words. Node "n" asks, unless a row says otherwise.
import { describe, expect, test } from "vitest";
import { userOf } from "../../../authentication/users.ts";
import { requestPem } from "../../../integration/certificate-request.contract.ts";
import { askPlugin, resourceOf, type Told } from "../admission.fixture.ts";
import { nodeRestriction } from "./node-restriction.ts";

const nodeUser = userOf({ name: "system:node:n", groups: ["system:nodes"] });
const mirror = "kubernetes.io/config.mirror";
const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "uid-n", controller: true };

const node = (labels: object = {}, spec: object = {}, more: object = {}) => ({
  kind: "Node",
  apiVersion: "v1",
  metadata: { name: "n", uid: "uid-n", labels, ...more },
  spec,
});
const pod = (name: string, nodeName: string, spec: object = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name, namespace: "shop", uid: `uid-${name}` },
  spec: { nodeName, containers: [{ name: "c" }], ...spec },
});
const mirrorPod = (spec: object = {}, metadata: object = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", annotations: { [mirror]: "x" }, ownerReferences: [owner], ...metadata },
  spec: { nodeName: "n", containers: [{ name: "c" }], ...spec },
});

const stored = { nodes: [node()], pods: [pod("own", "n"), pod("foreign", "m")] };

const refusalOf = async (told: Told) => (await askPlugin(nodeRestriction, { stored, user: nodeUser, ...told })).refusal;

describe("who is restricted", () => {
  test.each([
    ["a node", "system:node:n", ["system:nodes"], true],
    ["a user of that name outside the group", "system:node:n", [], false],
    ["a member of the group of another name", "jane", ["system:nodes"], false],
  ])("%s", async (_, name, groups, isRestricted) => {
    const refusal = await refusalOf({ user: userOf({ name, groups }), object: pod("a", "n") });
    expect(refusal !== "").toBe(isRestricted);
  });

  test("a node without a name may do nothing", async () => {
    const user = userOf({ name: "system:node:", groups: ["system:nodes"] });
    const refusal = await refusalOf({ user, resource: resourceOf("configmaps"), object: { metadata: { name: "a" } } });
    expect(refusal).toBe('configmaps "a" is forbidden: could not determine node from user "system:node:"');
  });

  test("what a kubelet does not write is left to authorization", async () => {
    expect(await refusalOf({ resource: resourceOf("configmaps"), object: { metadata: { name: "a" } } })).toBe("");
  });
});

const only = 'node "n" can only create pods with';

describe("a pod is created", () => {
  test.each<readonly [string, object, string]>([
    ["as a mirror of its own", mirrorPod(), ""],
    [
      "without the annotation",
      pod("a", "n"),
      `pod does not have "${mirror}" annotation, node "n" can only create mirror pods`,
    ],
    ["on another node", mirrorPod({ nodeName: "m" }), `${only} spec.nodeName set to itself`],
    ["on no node", mirrorPod({ nodeName: undefined }), `${only} spec.nodeName set to itself`],
    ["without an owner", mirrorPod({}, { ownerReferences: undefined }), `${only} an owner reference set to itself`],
    ["with two", mirrorPod({}, { ownerReferences: [owner, owner] }), `${only} a single owner reference set to itself`],
    ...[{ apiVersion: "v2" }, { kind: "Pod" }, { name: "m" }].map(
      (other) =>
        [
          `owned by ${JSON.stringify(other)}`,
          mirrorPod({}, { ownerReferences: [{ ...owner, ...other }] }),
          `${only} an owner reference set to itself`,
        ] as const,
    ),
    [
      "with an owner that is no controller",
      mirrorPod({}, { ownerReferences: [{ ...owner, controller: false }] }),
      `${only} a controller owner reference set to itself`,
    ],
    [
      "with an owner whose deletion it blocks",
      mirrorPod({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
      'node "n" must not set blockOwnerDeletion on an owner reference',
    ],
    [
      "owned by an earlier node of that name",
      mirrorPod({}, { ownerReferences: [{ ...owner, uid: "other" }] }),
      "node n UID mismatch: expected other got uid-n",
    ],
  ])("%s", async (_, object, why) => {
    expect(await refusalOf({ object })).toBe(why === "" ? "" : `pods "a" is forbidden: ${why}`);
  });

  test("by a node that is not registered", async () => {
    expect(await refusalOf({ object: mirrorPod(), stored: {} })).toBe('node "n" not found');
  });
});

const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
const projected = (source: object) => volume({ projected: { sources: [source] } });
const variable = (valueFrom: object) => ({ containers: [{ name: "c", env: [{ name: "V", valueFrom }] }] });

describe("a mirror pod refers to no other object", () => {
  test.each([
    [volume({ emptyDir: {} }), ""],
    [volume({ hostPath: { path: "/a" } }), ""],
    [volume({ flexVolume: { driver: "d" } }), ""],
    [projected({ downwardAPI: {} }), ""],
    [{ imagePullSecrets: [{ name: "" }] }, ""],
    [{ serviceAccountName: "default" }, "serviceaccounts"],
    [{ imagePullSecrets: [{ name: "s" }] }, "secrets"],
    [variable({ secretKeyRef: { name: "s", key: "k" } }), "secrets"],
    [{ initContainers: [{ name: "i", envFrom: [{ secretRef: { name: "s" } }] }] }, "secrets"],
    [volume({ secret: { secretName: "s" } }), "secrets"],
    [volume({ flexVolume: { driver: "d", secretRef: { name: "s" } } }), "secrets"],
    [volume({ csi: { driver: "d", nodePublishSecretRef: { name: "s" } } }), "secrets"],
    [projected({ secret: { name: "s" } }), "secrets"],
    [variable({ configMapKeyRef: { name: "m", key: "k" } }), "configmaps"],
    [{ containers: [{ name: "c", envFrom: [{ configMapRef: { name: "m" } }] }] }, "configmaps"],
    [volume({ configMap: { name: "m" } }), "configmaps"],
    [projected({ configMap: { name: "m" } }), "configmaps"],
    [{ resourceClaims: [{ name: "r" }] }, "resourceclaims"],
    [volume({ configMap: {} }), "configmaps (via configmap volumes)"],
    [volume({ secret: {} }), "secrets (via secret volumes)"],
    [volume({ csi: { driver: "d" } }), "csidrivers (via CSI volumes)"],
    [volume({ glusterfs: { endpoints: "e" } }), "endpoints (via glusterFS volumes)"],
    [volume({ persistentVolumeClaim: { claimName: "p" } }), "persistentvolumeclaims"],
    [volume({ ephemeral: {} }), "persistentvolumeclaims (via ephemeral volumes)"],
    [volume({ azureFile: { shareName: "s" } }), "secrets (via azureFile volumes)"],
    [projected({ configMap: {} }), "configmaps (via projected volumes)"],
    [projected({ secret: {} }), "secrets (via projected volumes)"],
    [projected({ serviceAccountToken: { path: "t" } }), "serviceaccounts (via projected volumes)"],
    [projected({ clusterTrustBundle: { path: "t" } }), "clustertrustbundles"],
    [projected({ podCertificate: {} }), "podcertificates"],
  ])("%j", async (spec, what) => {
    const why = `node "n" can not create pods that reference ${what}`;
    expect(await refusalOf({ object: mirrorPod(spec) })).toBe(what === "" ? "" : `pods "a" is forbidden: ${why}`);
  });

  test.each([
    [volume({}), 'unknown volume type for volume  "v"'],
    [projected({}), 'unknown source for projected volume "v"'],
  ])("nor to nobody knows what: %j", async (spec, why) => {
    const refusal = await refusalOf({ object: mirrorPod(spec) });
    expect(refusal).toBe(`pods "a" is forbidden: error checking mirror pod for API references: ${why}`);
  });
});

describe("a pod that is there", () => {
  const [own, foreign] = [pod("own", "n"), pod("foreign", "m")];
  const labelled = { ...own, metadata: { ...own.metadata, labels: { a: "b" } } };
  const withStatus = (status: object) => ({ ...own, status });
  const claims = { resourceClaimStatuses: [{ name: "r", resourceClaimName: "c" }] };
  const extended = { extendedResourceClaimStatus: { resourceClaimName: "c", requestMappings: [] } };
  const eviction = { kind: "Eviction", metadata: { name: "own" } };
  const update = { operation: "UPDATE", oldObject: own, object: own, name: "own" } as const;
  const status = { ...update, subresource: "status" } as const;

  test.each<readonly [string, Told, string]>([
    ["is deleted by its node", { operation: "DELETE", name: "own" }, ""],
    [
      "is not deleted by another",
      { operation: "DELETE", name: "foreign" },
      'pods "foreign" is forbidden: node "n" can only delete pods with spec.nodeName set to itself',
    ],
    ["must be there to be deleted", { operation: "DELETE", name: "none" }, 'pod "none" not found'],
    ["is not deleted with all others", { operation: "DELETE", name: "" }, 'pod "" not found'],
    [
      "is not updated",
      update,
      'pods "own" is forbidden: unexpected operation "UPDATE", node "n" can only create and delete mirror pods',
    ],
    ["gets its status from its node", { ...status, object: withStatus({ phase: "Running" }) }, ""],
    [
      "gets no status from another",
      { ...status, oldObject: foreign, object: foreign },
      'pods "own" is forbidden: node "n" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      "gets no labels with its status",
      { ...status, object: labelled },
      'pods "own" is forbidden: node "n" cannot update labels through pod status',
    ],
    [
      "gets no claims with its status",
      { ...status, object: withStatus(claims) },
      'pods "own" is forbidden: node "n" cannot update resource claim statues',
    ],
    [
      "gets no extended claims with its status",
      { ...status, object: withStatus(extended) },
      'pods "own" is forbidden: node "n" cannot update extended resource claim status',
    ],
    [
      "keeps the claims it has",
      { ...status, oldObject: withStatus({ ...claims, ...extended }), object: withStatus({ ...claims, ...extended }) },
      "",
    ],
    [
      "has no status that could be created",
      { operation: "CREATE", subresource: "status", name: "own" },
      'pods "own" is forbidden: unexpected operation "CREATE"',
    ],
    ["is evicted by its node", { subresource: "eviction", name: "own", object: eviction }, ""],
    [
      "is not evicted by another",
      { subresource: "eviction", name: "foreign", object: eviction },
      'pods "foreign" is forbidden: node n can only evict pods with spec.nodeName set to itself',
    ],
    [
      "must be there to be evicted",
      { subresource: "eviction", name: "none", object: eviction },
      'pod "none" not found',
    ],
    ...["binding", "ephemeralcontainers", "resize"].map(
      (subresource) =>
        [
          `has no ${subresource} for nodes`,
          { ...update, subresource },
          `pods "own" is forbidden: unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`,
        ] as const,
    ),
  ])("%s", async (_, told, refusal) => {
    expect(await refusalOf(told)).toBe(refusal);
  });
});

describe("a node", () => {
  const told = { resource: resourceOf("nodes"), namespace: "", name: "n" };
  const not = 'nodes "n" is forbidden: node "n" is not allowed to';
  const updated = (object: object, oldObject: object = node()): Told => ({ operation: "UPDATE", object, oldObject });
  const configSource = { configMap: { name: "c" } };
  const taints = [{ key: "k", effect: "NoSchedule" }];

  test.each<readonly [string, Told, string]>([
    ["registers itself", { object: node() }, ""],
    [
      "registers no other",
      { name: "m", object: node() },
      'nodes "m" is forbidden: node "n" is not allowed to modify node "m"',
    ],
    [
      "brings no configuration",
      { object: node({}, { configSource }) },
      `${not} create pods with a non-nil configSource`,
    ],
    ["brings taints", { object: node({}, { taints }) }, ""],
    ["updates itself", updated(node()), ""],
    [
      "takes no other configuration",
      updated(node({}, { configSource })),
      `${not} update configSource to a new non-nil configSource`,
    ],
    ["keeps its configuration", updated(node({}, { configSource }), node({}, { configSource })), ""],
    ["drops its configuration", updated(node(), node({}, { configSource })), ""],
    ["adds no taints", updated(node({}, { taints })), `${not} modify taints`],
    ["removes no taints", updated(node(), node({}, { taints })), `${not} modify taints`],
    ["keeps its taints", updated(node({}, { taints }), node({}, { taints })), ""],
    ["changes no owners", updated(node({}, {}, { ownerReferences: [owner] })), `${not} modify ownerReferences`],
    ["deletes itself", { operation: "DELETE" }, ""],
    [
      "deletes no other",
      { operation: "DELETE", name: "m" },
      'nodes "m" is forbidden: node "n" is not allowed to modify node "m"',
    ],
    [
      "deletes not all",
      { operation: "DELETE", name: "" },
      'nodes "Unknown" is forbidden: node "n" is not allowed to modify node ""',
    ],
  ])("%s", async (_, more, refusal) => {
    expect(await refusalOf({ ...told, ...more })).toBe(refusal);
  });

  test.each([
    ["example.com/a", true],
    ["plain", true],
    ["kubernetes.io/hostname", true],
    ["beta.kubernetes.io/arch", true],
    ["topology.kubernetes.io/zone", true],
    ["kubelet.kubernetes.io/a", true],
    ["gpu.kubelet.kubernetes.io/a", true],
    ["node.kubernetes.io/a", true],
    ["node-restriction.kubernetes.io/a", false],
    ["team.node-restriction.kubernetes.io/a", false],
    ["kubernetes.io/a", false],
    ["node-role.kubernetes.io/control-plane", false],
    ["k8s.io/a", false],
    ["a.k8s.io/b", false],
    ["notkubernetes.io/a", true],
  ])("and its label %s", async (key, isAllowed) => {
    const held = node({ [key]: "x" });
    const refusals = [
      await refusalOf({ ...told, object: held }),
      await refusalOf({ ...told, ...updated(held) }),
      await refusalOf({ ...told, ...updated(node(), held) }),
      await refusalOf({ ...told, ...updated(node({ [key]: "y" }), held) }),
    ];
    const changed = `nodes "n" is forbidden: is not allowed to modify labels: ${key}`;
    const refused = [`${not} set the following labels: ${key}`, changed, changed, changed];
    expect(refusals).toEqual(isAllowed ? ["", "", "", ""] : refused);
    expect(await refusalOf({ ...told, ...updated(held, held) })).toBe("");
  });

  test("is told of all labels that it may not set, in order", async () => {
    const refusal = await refusalOf({ ...told, object: node({ "k8s.io/b": "", plain: "", "k8s.io/a": "" }) });
    expect(refusal).toBe(`${not} set the following labels: k8s.io/a, k8s.io/b`);
  });
});

describe("a claim", () => {
  const claim = (status: object = {}, metadata: object = {}) => ({
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    metadata: { name: "p", namespace: "shop", resourceVersion: "1", ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Bound", ...status },
  });
  const told = { resource: resourceOf("persistentvolumeclaims"), name: "p", operation: "UPDATE" } as const;
  const status = { ...told, subresource: "status", oldObject: claim() };

  test.each([
    ["capacity", { capacity: { storage: "2Gi" } }],
    ["conditions", { conditions: [{ type: "Resizing", status: "True" }] }],
    ["allocated resources", { allocatedResources: { storage: "2Gi" } }],
    ["statuses of these", { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } }],
  ])("gets its %s from a node", async (_, changed) => {
    expect(await refusalOf({ ...status, object: claim(changed, { resourceVersion: undefined }) })).toBe("");
  });

  test("means the same where a quantity is only written in another way", async () => {
    const object = { ...claim(), spec: { ...claim().spec, resources: { requests: { storage: "1024Mi" } } } };
    expect(await refusalOf({ ...status, object })).toBe("");
  });

  test.each<readonly [string, Told, string]>([
    ["is not changed otherwise", { ...told, object: claim() }, "may only update PVC status"],
    ["has no status that could be created", { ...status, operation: "CREATE" }, 'unexpected operation "CREATE"'],
  ])("%s", async (_, more, why) => {
    expect(await refusalOf(more)).toBe(`persistentvolumeclaims "p" is forbidden: ${why}`);
  });

  test("shows what else a node would have changed, as the server prints it", async () => {
    const refusal = await refusalOf({ ...status, object: claim({ phase: "Lost" }, { labels: { a: "b" } }) });
    const head = "fields other than status.quantity and status.conditions";
    expect(refusal.split("\n")).toEqual([
      `persistentvolumeclaims "p" is forbidden: node "n" is not allowed to update ${head}: @@ -1,6 +1,9 @@`,
      " {",
      '  "name": "p",',
      '  "namespace": "shop",',
      '+ "labels": {',
      '+  "a": "b"',
      "+ },",
      '  "Spec": {',
      '   "AccessModes": [',
      '    "ReadWriteOnce"',
      "@@ -20,7 +23,7 @@",
      '   "VolumeAttributesClassName": null',
      "  },",
      '  "Status": {',
      '-  "Phase": "Bound",',
      '+  "Phase": "Lost",',
      '   "AccessModes": null,',
      '   "Capacity": null,',
      '   "Conditions": null,',
      "",
    ]);
  });
});

describe("what a node writes beside that", () => {
  const lease = { ...resourceToldOf("coordination.k8s.io/leases"), namespace: "kube-node-lease" };
  const leaseOf = (name: string) => ({ metadata: { name } });
  const sameLease = "can only access node lease with the same name as the requesting node";
  const csiNode = { ...resourceToldOf("storage.k8s.io/csinodes"), namespace: "" };
  const sameCsiNode = "can only access CSINode with the same name as the requesting node";
  const slice = { ...resourceToldOf("resource.k8s.io/resourceslices"), namespace: "" };
  const sliceOf = (nodeName?: string) => ({
    metadata: { name: "a" },
    spec: nodeName === undefined ? {} : { nodeName },
  });
  const sameNode = "ResourceSlice with the same NodeName as the requesting node";
  const signing = { ...resourceToldOf("certificates.k8s.io/certificatesigningrequests"), namespace: "" };
  const request = (signerName: string, pem: string) => ({
    metadata: { name: "a" },
    spec: { signerName, request: Buffer.from(pem).toString("base64") },
  });
  const serving = "kubernetes.io/kubelet-serving";
  const client = "kubernetes.io/kube-apiserver-client-kubelet";

  test.each<readonly [string, Told, string]>([
    ["its lease", { ...lease, name: "n", object: leaseOf("n") }, ""],
    ["its lease again", { ...lease, name: "n", operation: "UPDATE", object: leaseOf("n") }, ""],
    ["another's lease", { ...lease, name: "m", object: leaseOf("m") }, sameLease],
    ["the deletion of another's lease", { ...lease, name: "m", operation: "DELETE" }, sameLease],
    [
      "a lease elsewhere",
      { ...lease, name: "n", namespace: "shop", object: leaseOf("n") },
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    ["its CSINode", { ...csiNode, name: "n", object: leaseOf("n") }, ""],
    ["another's CSINode", { ...csiNode, name: "m", object: leaseOf("m") }, sameCsiNode],
    ["its slice", { ...slice, object: sliceOf("n") }, ""],
    ["another's slice", { ...slice, object: sliceOf("m") }, `can only create ${sameNode}`],
    ["nobody's slice", { ...slice, object: sliceOf() }, `can only create ${sameNode}`],
    ["a change of another's slice", { ...slice, operation: "UPDATE", object: sliceOf("m") }, ""],
    ["the deletion of its slice", { ...slice, operation: "DELETE", oldObject: sliceOf("n") }, ""],
    [
      "the deletion of another's slice",
      { ...slice, operation: "DELETE", oldObject: sliceOf("m") },
      `can only delete ${sameNode}`,
    ],
    ["a request for its certificate", { ...signing, object: request(serving, nodePem) }, ""],
    ["a request for its client certificate", { ...signing, object: request(client, nodePem) }, ""],
    ["a request of another signer", { ...signing, object: request("example.com/s", requestPem) }, ""],
    [
      "a request for another's certificate",
      { ...signing, object: request(serving, requestPem) },
      "can only create a node CSR with CN=system:node:n",
    ],
    [
      "a request that is none",
      { ...signing, object: request(client, "nonsense") },
      "unable to parse csr: PEM block type must be CERTIFICATE REQUEST",
    ],
    [
      "a request that says null",
      { ...signing, object: { metadata: { name: "a" }, spec: { signerName: serving, request: null } } },
      "unable to parse csr: PEM block type must be CERTIFICATE REQUEST",
    ],
    ["an approval", { ...signing, operation: "UPDATE", object: request(serving, requestPem) }, ""],
    [
      "a request for a pod's certificate",
      { ...resourceToldOf("certificates.k8s.io/podcertificaterequests"), object: leaseOf("a") },
      "PodCertificateRequest feature gate is disabled",
    ],
  ])("%s", async (_, told, why) => {
    const { group = "", resource = "" } = told.resource ?? {};
    const what = group === "" ? resource : `${resource}.${group}`;
    expect(await refusalOf(told)).toBe(why === "" ? "" : `${what} "${told.name ?? "a"}" is forbidden: ${why}`);
  });
});

function resourceToldOf(collection: string) {
  return { resource: resourceOf(collection) };
}

/** Asks for CN=system:node:n, O=system:nodes. */
const nodePem = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIHqMIGRAgEAMC8xFTATBgNVBAoMDHN5c3RlbTpub2RlczEWMBQGA1UEAwwNc3lz",
  "dGVtOm5vZGU6bjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBL0xlHvm22E3Pgi",
  "jE7rCzht9EmF5PiZBiyhUUlXbTOYDgtAdYJ1Na4Ygu5mo609DGxdsXDt6xyiIijb",
  "lHQtyymgADAKBggqhkjOPQQDAgNIADBFAiEA8RFLRStZGiAPG82uZGJILsXLw7E6",
  "7nwq9emxRb/T0/YCIFUNQFsZHmIdGuPEQ9sTWI3ENLTUcBO8EqtHIwtZ2SYA",
  "-----END CERTIFICATE REQUEST-----",
  "",
].join("\n");
