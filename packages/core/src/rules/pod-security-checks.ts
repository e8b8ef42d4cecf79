// What the Pod Security Standards forbid, check by check, in the words that kube-apiserver 1.36 uses. A check belongs to a level and has changed
// from one minor version of Kubernetes to another; pod-security.ts chooses.
//
// All containers are looked at: init containers first, then containers, then ephemeral ones.
import { type corev1, quote } from "../api/index.ts";

/** A pod, or the template of one. */
export interface CheckedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly spec?: corev1.PodSpec | undefined;
}

export interface PodSecurityViolation {
  /** "host namespaces" */
  readonly reason: string;
  /** "hostNetwork=true, hostPID=true" */
  readonly detail: string;
}

type Find = (pod: CheckedPod) => PodSecurityViolation | undefined;

export interface PodSecurityCheck {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** Oldest first. */
  readonly versions: readonly { readonly sinceMinor: number; readonly find: Find }[];
  /** A check of the baseline that this one, where it applies, makes superfluous. */
  readonly overrides?: string;
}

type Container = Pick<
  corev1.Container,
  "name" | "securityContext" | "ports" | "lifecycle" | "livenessProbe" | "readinessProbe" | "startupProbe"
>;
/** What a pod and its containers can both set. */
type Context = corev1.PodSecurityContext | corev1.SecurityContext;

const containersOf = ({ spec }: CheckedPod): readonly Container[] => [
  ...(spec?.initContainers ?? []),
  ...(spec?.containers ?? []),
  ...(spec?.ephemeralContainers ?? []),
];

const quoted = (items: readonly string[]) => items.map((item) => `"${item}"`).join(", ");
const one = (count: number, singular: string, plural: string) => (count === 1 ? singular : plural);
const sorted = (items: Iterable<string>) => [...new Set(items)].toSorted();
const named = (containers: readonly Container[]) =>
  `${one(containers.length, "container", "containers")} ${quoted(containers.map(({ name }) => name))}`;

/** Undefined where nobody is to blame. */
const blame = (
  containers: readonly Container[],
  reason: string,
  detailOf: (who: string) => string,
): PodSecurityViolation | undefined =>
  containers.length === 0 ? undefined : { reason, detail: detailOf(named(containers)) };

interface Setters {
  /** `pod and container "a"`; undefined if it is nobody. */
  readonly who: string | undefined;
  readonly contexts: readonly Context[];
}

/** Who sets it: the pod, containers, or both. */
function settersOf(pod: CheckedPod, isBad: (context: Context) => boolean): Setters {
  const ofPod = pod.spec?.securityContext;
  const badPod = ofPod !== undefined && isBad(ofPod) ? [ofPod] : [];
  const bad = containersOf(pod).filter(
    ({ securityContext }) => securityContext !== undefined && isBad(securityContext),
  );
  const parts = [...(badPod.length > 0 ? ["pod"] : []), ...(bad.length > 0 ? [named(bad)] : [])];
  return {
    who: parts.length === 0 ? undefined : parts.join(" and "),
    contexts: [...badPod, ...bad.flatMap(({ securityContext = {} }) => [securityContext])],
  };
}

/** With the same rule since 1.0. */
const always = (find: Find): PodSecurityCheck["versions"] => [{ sinceMinor: 0, find }];

const exceptOnWindows =
  (find: Find): Find =>
  (pod) =>
    pod.spec?.os?.name === "windows" ? undefined : find(pod);

/** What is root in a user namespace of its own is nobody outside of it. */
const exceptInUserNamespace =
  (find: Find): Find =>
  (pod) =>
    pod.spec?.hostUsers === false ? undefined : find(pod);

const exceptOnWindowsSince25 = (sinceMinor: number, find: Find): PodSecurityCheck["versions"] => [
  { sinceMinor, find },
  { sinceMinor: 25, find: exceptOnWindows(find) },
];

const exceptInUserNamespaceSince35 = (sinceMinor: number, find: Find): PodSecurityCheck["versions"] => [
  { sinceMinor, find },
  { sinceMinor: 35, find: exceptInUserNamespace(find) },
];

const allowPrivilegeEscalation: Find = (pod) =>
  blame(
    containersOf(pod).filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false),
    "allowPrivilegeEscalation != false",
    (who) => `${who} must set securityContext.allowPrivilegeEscalation=false`,
  );

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

function appArmorProfile(pod: CheckedPod): PodSecurityViolation | undefined {
  const { who, contexts } = settersOf(
    pod,
    ({ appArmorProfile: profile }) => profile !== undefined && !["RuntimeDefault", "Localhost"].includes(profile.type),
  );
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .toSorted();
  const setters = [
    ...(who === undefined ? [] : [who]),
    ...(annotations.length === 0 ? [] : [one(annotations.length, "annotation", "annotations")]),
  ];
  if (setters.length === 0) return undefined;
  const values = [...sorted(contexts.map(({ appArmorProfile: profile }) => profile?.type ?? "")), ...annotations];
  return {
    reason: one(values.length, "forbidden AppArmor profile", "forbidden AppArmor profiles"),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

const isAllowedAppArmor = (value: string) =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

const harmlessCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

const capabilitiesBaseline: Find = (pod) =>
  findAdded(pod, (capability) => !harmlessCapabilities.has(capability), "non-default capabilities");

/** Containers that add a capability that they may not. */
function findAdded(pod: CheckedPod, isBad: (capability: string) => boolean, reason: string) {
  const added = ({ securityContext }: Container) => (securityContext?.capabilities?.add ?? []).filter(isBad);
  const bad = containersOf(pod).filter((container) => added(container).length > 0);
  const capabilities = quoted(sorted(bad.flatMap(added)));
  return blame(bad, reason, (who) => `${who} must not include ${capabilities} in securityContext.capabilities.add`);
}

function capabilitiesRestricted(pod: CheckedPod): PodSecurityViolation | undefined {
  const reason = "unrestricted capabilities";
  const keeping = containersOf(pod).filter(
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true,
  );
  const faults = [
    blame(keeping, reason, (who) => `${who} must set securityContext.capabilities.drop=["ALL"]`),
    findAdded(pod, (capability) => capability !== "NET_BIND_SERVICE", reason),
  ].flatMap((fault) => fault ?? []);
  return faults.length === 0 ? undefined : { reason, detail: faults.map(({ detail }) => detail).join("; ") };
}

function hostNamespaces({ spec }: CheckedPod): PodSecurityViolation | undefined {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec?.[field] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
}

function hostPathVolumes({ spec }: CheckedPod): PodSecurityViolation | undefined {
  const names = (spec?.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${one(names.length, "volume", "volumes")} ${quoted(names)}` };
}

function hostPorts(pod: CheckedPod): PodSecurityViolation | undefined {
  const portsOf = ({ ports = [] }: Container) =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
  const bad = containersOf(pod).filter((container) => portsOf(container).length > 0);
  const ports = sorted(bad.flatMap(portsOf));
  const verb = one(bad.length, "uses", "use");
  return blame(
    bad,
    "hostPort",
    (who) => `${who} ${verb} ${one(ports.length, "hostPort", "hostPorts")} ${ports.join(", ")}`,
  );
}

/** Of probes and lifecycle handlers: a kubelet would send a request anywhere. */
function hostsOf(container: Container): readonly string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  const hosts = handlers.flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host]);
  return hosts.flatMap((host) => (host === undefined || host === "" ? [] : [host]));
}

function hostProbesAndHostLifecycle(pod: CheckedPod): PodSecurityViolation | undefined {
  const bad = containersOf(pod)
    .filter((container) => hostsOf(container).length > 0)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const hosts = sorted(bad.flatMap(hostsOf));
  const verb = one(bad.length, "uses", "use");
  const what = one(hosts.length, "probe or lifecycle host", "probe or lifecycle hosts");
  return blame(bad, "probe or lifecycle host", (who) => `${who} ${verb} ${what} ${quoted(hosts)}`);
}

const privileged: Find = (pod) =>
  blame(
    containersOf(pod).filter(({ securityContext }) => securityContext?.privileged === true),
    "privileged",
    (who) => `${who} must not set securityContext.privileged=true`,
  );

function procMount(pod: CheckedPod): PodSecurityViolation | undefined {
  const mountOf = ({ securityContext }: Container) => securityContext?.procMount ?? "Default";
  const bad = containersOf(pod).filter((container) => mountOf(container) !== "Default");
  const mounts = quoted(sorted(bad.map(mountOf)));
  return blame(bad, "procMount", (who) => `${who} must not set securityContext.procMount to ${mounts}`);
}

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const;

/** In this order: of a volume that is two things, the first is named. */
const refusedVolumes = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const;

function restrictedVolumes({ spec }: CheckedPod): PodSecurityViolation | undefined {
  const bad = (spec?.volumes ?? []).filter((volume) => allowedVolumes.every((type) => volume[type] === undefined));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((volume) => refusedVolumes.find((type) => volume[type] !== undefined) ?? "unknown"));
  const names = `${one(bad.length, "volume", "volumes")} ${quoted(bad.map(({ name }) => name))}`;
  const what = one(types.length, "restricted volume type", "restricted volume types");
  return {
    reason: "restricted volume types",
    detail: `${names} ${one(bad.length, "uses", "use")} ${what} ${quoted(types)}`,
  };
}

function runAsNonRoot(pod: CheckedPod): PodSecurityViolation | undefined {
  const reason = "runAsNonRoot != true";
  const { who } = settersOf(pod, (context) => context.runAsNonRoot === false);
  if (who !== undefined) return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (pod.spec?.securityContext?.runAsNonRoot === true) return undefined;
  const silent = containersOf(pod).filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return blame(silent, reason, (containers) => `pod or ${containers} must set securityContext.runAsNonRoot=true`);
}

function runAsUser(pod: CheckedPod): PodSecurityViolation | undefined {
  const { who } = settersOf(pod, (context) => context.runAsUser === 0);
  return who === undefined ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
}

const newSeLinuxOptions =
  (allowed: readonly string[]): Find =>
  (pod) => {
    const isBadType = (type = "") => type !== "" && !allowed.includes(type);
    const { who, contexts } = settersOf(
      pod,
      ({ seLinuxOptions: { type, user = "", role = "" } = {} }) => isBadType(type) || user !== "" || role !== "",
    );
    if (who === undefined) return undefined;
    const options = contexts.map(({ seLinuxOptions = {} }) => seLinuxOptions);
    const types = sorted(options.flatMap(({ type = "" }) => (isBadType(type) ? [type] : [])));
    const faults = [
      ...(types.length === 0 ? [] : [`${one(types.length, "type", "types")} ${quoted(types)}`]),
      ...(options.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
      ...(options.some(({ role = "" }) => role !== "") ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`,
    };
  };

const containerTypes = ["container_t", "container_init_t", "container_kvm_t"];

/** Before there was a field, annotations said it. */
function seccompAnnotations(pod: CheckedPod): PodSecurityViolation | undefined {
  const { annotations = {} } = pod.metadata ?? {};
  const isAllowed = (value: string) =>
    value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
  const ofContainers = containersOf(pod).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`);
  const bad = sorted(
    ["seccomp.security.alpha.kubernetes.io/pod", ...ofContainers].flatMap((key) => {
      const value = annotations[key];
      return value === undefined || isAllowed(value) ? [] : [`${key}=${quote(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `forbidden ${one(bad.length, "annotation", "annotations")} ${bad.join(", ")}`,
  };
}

function seccompBaseline(pod: CheckedPod): PodSecurityViolation | undefined {
  const { who, contexts } = settersOf(
    pod,
    ({ seccompProfile }) => seccompProfile !== undefined && !isAllowedSeccomp(seccompProfile),
  );
  if (who === undefined) return undefined;
  const values = quoted(sorted(contexts.map(({ seccompProfile }) => seccompProfile?.type ?? "")));
  return {
    reason: "seccompProfile",
    detail: `${who} must not set securityContext.seccompProfile.type to ${values}`,
  };
}

const isAllowedSeccomp = ({ type }: corev1.SeccompProfile) => type === "RuntimeDefault" || type === "Localhost";

function seccompRestricted(pod: CheckedPod): PodSecurityViolation | undefined {
  const bad = seccompBaseline(pod);
  if (bad !== undefined || pod.spec?.securityContext?.seccompProfile !== undefined) return bad;
  const silent = containersOf(pod).filter(({ securityContext }) => securityContext?.seccompProfile === undefined);
  return blame(
    silent,
    "seccompProfile",
    (who) => `pod or ${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  );
}

/** By the minor version in which they were found harmless. */
const harmlessSysctls: readonly (readonly [sinceMinor: number, names: readonly string[]])[] = [
  [
    0,
    [
      "kernel.shm_rmid_forced",
      "net.ipv4.ip_local_port_range",
      "net.ipv4.tcp_syncookies",
      "net.ipv4.ping_group_range",
      "net.ipv4.ip_unprivileged_port_start",
    ],
  ],
  [27, ["net.ipv4.ip_local_reserved_ports"]],
  [
    29,
    [
      "net.ipv4.tcp_keepalive_time",
      "net.ipv4.tcp_fin_timeout",
      "net.ipv4.tcp_keepalive_intvl",
      "net.ipv4.tcp_keepalive_probes",
    ],
  ],
  [32, ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]],
];

const sysctlVersions: PodSecurityCheck["versions"] = harmlessSysctls.map(([sinceMinor], index) => {
  const allowed = new Set(harmlessSysctls.slice(0, index + 1).flatMap(([, names]) => names));
  const find: Find = ({ spec }) => {
    const bad = (spec?.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  };
  return { sinceMinor, find };
});

function windowsHostProcess(pod: CheckedPod): PodSecurityViolation | undefined {
  const { who } = settersOf(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  if (who === undefined) return undefined;
  return { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
}

/** In the order in which violations are named: the baseline's by id, then the others by id. */
export const podSecurityChecks: readonly PodSecurityCheck[] = [
  { id: "appArmorProfile", level: "baseline", versions: always(appArmorProfile) },
  { id: "capabilities_baseline", level: "baseline", versions: always(capabilitiesBaseline) },
  { id: "hostNamespaces", level: "baseline", versions: always(hostNamespaces) },
  { id: "hostPathVolumes", level: "baseline", versions: always(hostPathVolumes) },
  { id: "hostPorts", level: "baseline", versions: always(hostPorts) },
  {
    id: "hostProbesAndHostLifecycle",
    level: "baseline",
    versions: [{ sinceMinor: 34, find: hostProbesAndHostLifecycle }],
  },
  { id: "privileged", level: "baseline", versions: always(privileged) },
  {
    id: "procMount",
    level: "baseline",
    versions: exceptInUserNamespaceSince35(0, procMount),
  },
  {
    id: "seLinuxOptions",
    level: "baseline",
    versions: [
      ...always(newSeLinuxOptions(containerTypes)),
      { sinceMinor: 31, find: newSeLinuxOptions([...containerTypes, "container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    versions: [...always(seccompAnnotations), { sinceMinor: 19, find: seccompBaseline }],
  },
  { id: "sysctls", level: "baseline", versions: sysctlVersions },
  { id: "windowsHostProcess", level: "baseline", versions: always(windowsHostProcess) },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    versions: exceptOnWindowsSince25(8, allowPrivilegeEscalation),
  },
  {
    id: "capabilities_restricted",
    level: "restricted",
    overrides: "capabilities_baseline",
    versions: exceptOnWindowsSince25(22, capabilitiesRestricted),
  },
  {
    id: "procMount_restricted",
    level: "restricted",
    overrides: "procMount",
    versions: [{ sinceMinor: 35, find: procMount }],
  },
  { id: "restrictedVolumes", level: "restricted", overrides: "hostPathVolumes", versions: always(restrictedVolumes) },
  {
    id: "runAsNonRoot",
    level: "restricted",
    versions: exceptInUserNamespaceSince35(0, runAsNonRoot),
  },
  {
    id: "runAsUser",
    level: "restricted",
    versions: exceptInUserNamespaceSince35(23, runAsUser),
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    overrides: "seccompProfile_baseline",
    versions: exceptOnWindowsSince25(19, seccompRestricted),
  },
];
