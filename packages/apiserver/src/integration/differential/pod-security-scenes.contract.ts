// Pods in namespaces that enforce a level of the Pod Security Standards, or warn of it: what is refused, in which words, and what is warned of.
import type { corev1 } from "@kubeloop/core/api";
import type { Scene, SeenInCache, Step } from "./request-script.contract.ts";

const namespace = "/api/v1/namespaces/{ns}";
const merge = { "content-type": "application/merge-patch+json" };

/** `level` is what a pod that violates everything is refused or warned for from then on: `baseline:latest`, or nothing. */
const labelled = (title: string, labels: Readonly<Record<string, string | null>>, level?: string): Step => ({
  title,
  ...(level === undefined ? {} : { seen: seenAs(level) }),
  method: "PATCH",
  path: namespace,
  headers: merge,
  body: {
    metadata: {
      labels: Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
      ),
    },
  },
});

const seenAs = (level: string): SeenInCache => ({
  probe: {
    title: "a pod that violates everything",
    method: "POST",
    path: `${namespace}/pods`,
    query: { dryRun: "All" },
    body: podOf("probe", { hostNetwork: true, hostPID: true }),
  },
  isShown: ({ body, headers }) => {
    const said = JSON.stringify([body, headers["warning"] ?? ""]).replaceAll("\\", "");
    return level === "" ? !said.includes("PodSecurity") : said.includes(`PodSecurity "${level}"`);
  },
});

type Spec = Partial<corev1.PodSpec>;

const podOf = (name: string, spec: Spec, annotations: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, annotations },
  spec: { containers: [{ name: "a", image: "a" }], ...spec },
});

const made = (title: string, name: string, spec: Spec, annotations?: Readonly<Record<string, string>>): Step => ({
  title,
  method: "POST",
  path: `${namespace}/pods`,
  body: podOf(name, spec, annotations),
});

const withContext = (securityContext: corev1.SecurityContext, more: Partial<corev1.Container> = {}): Spec => ({
  containers: [{ name: "a", image: "a", securityContext, ...more }],
});

/** What one level or the other refuses, and some that both let through. */
const specs: Readonly<Record<string, Spec>> = {
  bare: {},
  "all that restricted asks for": {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    ...withContext({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }),
  },
  "namespaces of the host": { hostNetwork: true, hostPID: true, hostIPC: true },
  "volumes of the host": {
    volumes: [
      { name: "v", hostPath: { path: "/" } },
      { name: "w", nfs: { server: "s", path: "/" } },
    ],
  },
  "ports of the host": withContext(
    {},
    {
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 9, hostPort: 9 },
      ],
    },
  ),
  "a probe of another host": withContext({}, { livenessProbe: { httpGet: { port: 80, host: "h" } } }),
  privileged: withContext({ privileged: true }),
  capabilities: withContext({ capabilities: { add: ["NET_RAW", "CHOWN", "SYS_ADMIN"], drop: ["KILL"] } }),
  "an unmasked proc": { hostUsers: false, ...withContext({ procMount: "Unmasked" }) },
  "a type of SELinux": {
    securityContext: { seLinuxOptions: { type: "spc_t", user: "u" } },
    ...withContext({ seLinuxOptions: { role: "r" } }),
  },
  "no seccomp": { securityContext: { seccompProfile: { type: "Unconfined" } } },
  "no AppArmor": { securityContext: { appArmorProfile: { type: "Unconfined" } } },
  sysctls: {
    securityContext: {
      sysctls: [
        { name: "kernel.msgmax", value: "1" },
        { name: "net.ipv4.tcp_rmem", value: "1" },
      ],
    },
  },
  root: { securityContext: { runAsUser: 0, runAsNonRoot: false } },
  "several containers": {
    initContainers: [{ name: "i", image: "a", securityContext: { privileged: true } }],
    containers: [
      { name: "a", image: "a" },
      { name: "b", image: "a", securityContext: { privileged: true } },
    ],
  },
};

const allIn = (prefix: string): readonly Step[] =>
  Object.entries(specs).map(([what, spec], index) => made(`${prefix}: ${what}`, `${prefix}-${index}`, spec));

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: podOf("", { hostNetwork: true }).spec },
  },
};
const controllers = "/apis/apps/v1/namespaces/{ns}/deployments";

export const podSecurityScenes: readonly Scene[] = [
  {
    name: "pod security enforced",
    steps: [
      ...allIn("free"),
      labelled("made baseline", { enforce: "baseline" }, "baseline:latest"),
      labelled("made baseline again", { enforce: "baseline", audit: "restricted" }),
      ...allIn("baseline"),
      { title: "a deployment in baseline", method: "POST", path: controllers, body: deployment },
      {
        title: "a pod that violates it labelled",
        method: "PATCH",
        path: `${namespace}/pods/free-2`,
        headers: merge,
        body: { metadata: { labels: { a: "b" } } },
      },
      {
        title: "a pod that violates it given another image",
        method: "PATCH",
        path: `${namespace}/pods/free-2`,
        headers: { "content-type": "application/strategic-merge-patch+json" },
        body: { spec: { containers: [{ name: "a", image: "b" }] } },
      },
      labelled("made restricted", { enforce: "restricted" }, "restricted:latest"),
      ...allIn("restricted"),
      labelled("made restricted as it once was", { "enforce-version": "v1.8" }, "restricted:v1.8"),
      ...allIn("old"),
      labelled("made baseline in that version", { enforce: "baseline" }, "baseline:v1.8"),
      labelled("made privileged", { enforce: "privileged", "enforce-version": null }, ""),
      made("privileged again", "again", { hostNetwork: true }),
    ],
  },
  {
    name: "pod security warned of",
    steps: [
      labelled("made to warn", { warn: "restricted", "warn-version": "v1.30" }, "restricted:v1.30"),
      made("a pod that is warned of", "warned", { hostNetwork: true }),
      { title: "a deployment that is warned of", method: "POST", path: controllers, body: deployment },
      {
        title: "a deployment that is scaled",
        method: "PATCH",
        path: `${controllers}/d/scale`,
        headers: merge,
        body: { spec: { replicas: 2 } },
      },
      labelled("made to warn of less than is enforced", { enforce: "baseline", warn: "privileged" }, "baseline:latest"),
      { title: "a deployment that is not warned of", method: "PUT", path: `${controllers}/d`, body: deployment },
    ],
  },
  {
    name: "pod security labels",
    steps: [
      labelled("of no level", { enforce: "strict" }),
      labelled("of no version", { enforce: "baseline", "enforce-version": "1.30", "audit-version": "v1.01" }),
      labelled("of nothing", { warn: "", audit: "" }),
      {
        title: "new and of no level",
        method: "POST",
        path: "/api/v1/namespaces",
        body: {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "{ns}-x", labels: { "pod-security.kubernetes.io/enforce": "x" } },
        },
      },
    ],
  },
];
