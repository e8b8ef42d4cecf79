// What admission adds to objects and refuses of them. Classes that a real server reads from caches are there long before, or are read in between.
import { get, merge, patch, post, put, remove, strategic } from "./ask.contract.ts";
import type { Scene, Step } from "./request-script.contract.ts";

const core = "/api/v1/namespaces/{ns}";
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const container = (resources: object) => ({ containers: [{ name: "c", image: "i", resources }] });
const quota = (hard: object) => ({ metadata: { name: "q" }, spec: { hard } });
const withSecret = (name: string) => ({
  name,
  image: "i",
  env: [{ name: "V", valueFrom: { secretKeyRef: { name: "other", key: "k" } } }],
});
/** Caches of a real server catch up meanwhile. */
const pause = (what: string, path: string): readonly Step[] =>
  Array.from({ length: 12 }, (_, i) => get(`${what} ${i}`, path)) as readonly Step[];

export const admissionScenes: readonly Scene[] = [
  {
    name: "admission of pods",
    steps: [
      post("a plain pod", `${core}/pods`, pod("plain")),
      post("of a class", `${core}/pods`, pod("critical", { priorityClassName: "system-node-critical" })),
      post("of no class there is", `${core}/pods`, pod("none", { priorityClassName: "none" })),
      post("with a priority of its own", `${core}/pods`, pod("own", { priority: 7 })),
      post("with a policy of its own", `${core}/pods`, pod("policy", { preemptionPolicy: "Never" })),
      post("of no runtime class there is", `${core}/pods`, pod("runtime", { runtimeClassName: "none" })),
      post("with an overhead", `${core}/pods`, pod("overhead", { overhead: { cpu: "1" } })),
      post("tolerating everything", `${core}/pods`, pod("tolerant", { tolerations: [{ operator: "Exists" }] })),
      merge("changed", `${core}/pods/plain`, { metadata: { labels: { a: "b" } } }),
      post("a namespace that is not there", "/api/v1/namespaces/nonsense/pods", pod("a")),
      post("generated, in none", "/api/v1/namespaces/nonsense/pods", {
        ...pod(""),
        metadata: { generateName: "gen-" },
      }),
      put("changed, in none", "/api/v1/namespaces/nonsense/pods/a", pod("a")),
      remove("the namespace of all", "/api/v1/namespaces/default"),
      post("a second default class", "/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "{ns}" },
        value: 5,
      }),
      remove("that class", "/apis/scheduling.k8s.io/v1/priorityclasses/{ns}"),
    ],
  },
  {
    name: "admission by limits",
    steps: [
      post("a range", `${core}/limitranges`, {
        metadata: { name: "r" },
        spec: {
          limits: [
            {
              type: "Container",
              default: { cpu: "1" },
              defaultRequest: { cpu: "500m" },
              min: { cpu: "100m" },
              max: { cpu: "2" },
              maxLimitRequestRatio: { cpu: "4" },
            },
            { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
          ],
        },
      }),
      ...pause("the range", `${core}/limitranges/r`),
      post("a pod without a word", `${core}/pods`, pod("plain")),
      post("a pod that asks for too little", `${core}/pods`, pod("little", container({ requests: { cpu: "50m" } }))),
      post(
        "a pod that takes too much",
        `${core}/pods`,
        pod("much", container({ requests: { cpu: "1" }, limits: { cpu: "3" } })),
      ),
      post(
        "a pod of too large a ratio",
        `${core}/pods`,
        pod("ratio", container({ requests: { cpu: "100m" }, limits: { cpu: "1500m" } })),
      ),
      post("a generated pod", `${core}/pods`, {
        ...pod("", container({ requests: { cpu: "50m" } })),
        metadata: { generateName: "gen-" },
      }),
      post("a claim that is too large", `${core}/persistentvolumeclaims`, {
        metadata: { name: "large" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
      }),
    ],
  },
  {
    name: "admission by quotas",
    steps: [
      post("a quota", `${core}/resourcequotas`, quota({ configmaps: "1", "requests.cpu": "1" })),
      merge("its status", `${core}/resourcequotas/q/status`, {
        status: { hard: { configmaps: "1", "requests.cpu": "1" }, used: { configmaps: "0", "requests.cpu": "0" } },
      }),
      ...pause("the quota", `${core}/resourcequotas/q`),
      post("the first", `${core}/configmaps`, { metadata: { name: "a" } }),
      ...pause("the quota, charged", `${core}/resourcequotas/q`),
      post("the second", `${core}/configmaps`, { metadata: { name: "b" } }),
      post("the second, generated", `${core}/configmaps`, { metadata: { generateName: "gen-" } }),
      post("the first again", `${core}/configmaps`, { metadata: { name: "a" } }),
      post("a pod without requests", `${core}/pods`, pod("plain")),
      post("a pod that is too large", `${core}/pods`, pod("large", container({ requests: { cpu: "2" } }))),
      post("a pod that fits", `${core}/pods`, pod("fits", container({ requests: { cpu: "250m" } }))),
      get("the quota in the end", `${core}/resourcequotas/q`),
    ],
  },
  {
    name: "admission of storage",
    steps: [
      post("a claim", `${core}/persistentvolumeclaims`, {
        metadata: { name: "a" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      merge("a larger one, unbound", `${core}/persistentvolumeclaims/a`, {
        spec: { resources: { requests: { storage: "2Gi" } } },
      }),
      post("a volume", "/api/v1/persistentvolumes", {
        metadata: { name: "{ns}" },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
      }),
      remove("the volume, which waits", "/api/v1/persistentvolumes/{ns}"),
      merge("the volume, let go", "/api/v1/persistentvolumes/{ns}", { metadata: { finalizers: null } }),
      post("a node", "/api/v1/nodes", { metadata: { name: "{ns}" } }),
      remove("the node", "/api/v1/nodes/{ns}"),
    ],
  },
  {
    name: "admission of bindings and resizes",
    steps: [
      post("a node in a zone", "/api/v1/nodes", {
        metadata: { name: "{ns}", labels: { "topology.kubernetes.io/zone": "z", a: "b" } },
      }),
      ...pause("the node", "/api/v1/nodes/{ns}"),
      post("a pod", `${core}/pods`, pod("bound")),
      post("its binding", `${core}/pods/bound/binding`, {
        metadata: { name: "bound" },
        target: { kind: "Node", name: "{ns}" },
      }),
      get("the pod, in the zone", `${core}/pods/bound`),
      post("a pod that is there already", `${core}/pods`, pod("born", { nodeName: "{ns}" })),
      patch("strategic")("a pod beyond its node", `${core}/pods/bound/resize`, {
        spec: { containers: [{ name: "c", resources: { requests: { cpu: "3" } } }] },
      }),
      remove("the bound pod", `${core}/pods/bound`, { gracePeriodSeconds: 0 }),
      remove("the born pod", `${core}/pods/born`, { gracePeriodSeconds: 0 }),
      remove("the zone's node", "/api/v1/nodes/{ns}"),
    ],
  },
  {
    name: "admission by service accounts",
    steps: [
      post("an account that pulls", `${core}/serviceaccounts`, {
        metadata: { name: "puller" },
        imagePullSecrets: [{ name: "registry" }],
      }),
      post("an account that mounts nothing", `${core}/serviceaccounts`, {
        metadata: { name: "shy" },
        automountServiceAccountToken: false,
      }),
      post("an account that is strict", `${core}/serviceaccounts`, {
        metadata: { name: "strict", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
        secrets: [{ name: "mine" }],
        imagePullSecrets: [{ name: "registry" }],
      }),
      ...pause("the strict account", `${core}/serviceaccounts/strict`),
      post("a pod of nobody's", `${core}/pods`, pod("plain", { initContainers: [{ name: "i", image: "i" }] })),
      post("a pod of no account there is", `${core}/pods`, pod("none", { serviceAccountName: "none" })),
      post("a pod that pulls", `${core}/pods`, pod("pulling", { serviceAccountName: "puller" })),
      post(
        "a pod that pulls in its own way",
        `${core}/pods`,
        pod("own", { serviceAccountName: "puller", imagePullSecrets: [{ name: "other" }] }),
      ),
      post("a pod that mounts nothing", `${core}/pods`, pod("shy", { serviceAccountName: "shy" })),
      post(
        "a pod that mounts nevertheless",
        `${core}/pods`,
        pod("bold", { serviceAccountName: "shy", automountServiceAccountToken: true }),
      ),
      post("a pod under the old name", `${core}/pods`, pod("old", { serviceAccount: "shy" })),
      ...[
        ["a secret of its own", { volumes: [{ name: "v", secret: { secretName: "mine" } }] }],
        ["another's secret", { volumes: [{ name: "v", secret: { secretName: "other" } }] }],
        ["another's secret to pull with", { imagePullSecrets: [{ name: "other" }] }],
        ["another's secret in a variable", { containers: [withSecret("c")] }],
        ["another's secret in an init container", { initContainers: [withSecret("i")] }],
      ].map(([title, spec], i) =>
        post(
          `a strict pod with ${title}`,
          `${core}/pods`,
          pod(`strict-${i}`, { serviceAccountName: "strict", ...(spec as object) }),
        ),
      ),
      strategic("a debugger with another's secret", `${core}/pods/strict-0/ephemeralcontainers`, {
        spec: { ephemeralContainers: [withSecret("e")] },
      }),
      post("a mirror pod with an account", `${core}/pods`, {
        ...pod("mirror", { serviceAccountName: "default" }),
        metadata: { name: "mirror", annotations: { "kubernetes.io/config.mirror": "x" } },
      }),
      post("a mirror pod", `${core}/pods`, pod("mirror", {}, { annotations: { "kubernetes.io/config.mirror": "x" } })),
    ],
  },
];
