// What is accepted in a pod's spec and probably not meant. Warnings come for new specs and for changed ones; none is an error.
import {
  childPath,
  type corev1,
  type FieldPath,
  itemPath,
  printPath,
  quote,
  validateDns1123Label,
  validateLabelValue,
} from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { claimSpecWarnings } from "../shared/claim-spec.ts";
import { ipWarnings } from "../shared/ip-address.ts";
import type { LabelMap } from "../shared/labels.ts";
import { own } from "../shared/own.ts";
import { isFractional } from "../shared/quantities.ts";
import { appArmorFieldOf, appArmorPrefix, containerSeccompPrefix, podSeccompAnnotation } from "./check-profiles.ts";
import { overlapWarnings } from "./overlapping-paths.ts";
import { portWarnings } from "./port-warnings.ts";
import { containerLists } from "./visit-containers.ts";

type PodSpec = corev1.PodSpec;

interface Part {
  /** Of the pod or template: undefined for a pod itself. */
  readonly path: FieldPath | undefined;
  readonly spec: PodSpec;
  readonly annotations: LabelMap;
}

/** A label of nodes that is no longer used, and what to do about it. */
const oldNodeLabels = new Map(
  Object.entries({
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
  }),
);

const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

/** By type of volume; reported at the name given second, which is not always the field's. */
const oldVolumes: readonly (readonly [field: keyof corev1.Volume, reportedAt: string, text: string])[] = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

export function podWarnings(pod: Pick<corev1.Pod, "metadata" | "spec">): string[] {
  return partWarnings({ path: undefined, spec: pod.spec, annotations: pod.metadata.annotations ?? {} });
}

export function templateWarnings(template: corev1.PodTemplateSpec, path: FieldPath): string[] {
  return partWarnings({ path, spec: template.spec, annotations: template.metadata?.annotations ?? {} });
}

/** Of whatever names pods after itself: the name becomes part of a hostname. */
export function nameWarnings(name: string | undefined, text: string): string[] {
  const reasons = validateDns1123Label(name ?? "");
  return reasons.length === 0 ? [] : [`metadata.name: ${text}; a DNS label is recommended: [${reasons.join(" ")}]`];
}

export const podNamesText = "this is used in Pod names and hostnames, which can result in surprising behavior";

function partWarnings(part: Part): string[] {
  const { spec } = part;
  return [
    ...nodeLabelWarnings(part),
    ...annotationWarnings(part),
    ...volumeWarnings(part),
    ...overlapWarnings(spec.volumes ?? []),
    ...repeatWarnings(part),
    ...containerWarnings(part),
    ...portWarnings(spec, childPath(part.path, "spec")),
    ...graceWarnings(part),
    ...affinityWarnings(part),
    ...addressWarnings(part),
  ];
}

const say = (path: FieldPath, text: string) => `${printPath(path)}: ${text}`;
const inSpec = ({ path }: Part, ...names: string[]) => childPath(path, "spec", ...names);

function nodeLabelWarnings(part: Part): string[] {
  const { spec } = part;
  const warnings: string[] = [];
  for (const label of Object.keys(spec.nodeSelector ?? {})) {
    const text = oldNodeLabels.get(label);
    if (text !== undefined) warnings.push(say(itemPath(inSpec(part, "nodeSelector"), label), text));
  }
  const affinity = spec.affinity?.nodeAffinity;
  const affinityPath = inSpec(part, "affinity", "nodeAffinity");
  const requiredPath = childPath(affinityPath, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const [i, term] of required.entries()) warnings.push(...termWarnings(term, itemPath(requiredPath, i)));
  const preferredPath = childPath(affinityPath, "preferredDuringSchedulingIgnoredDuringExecution");
  for (const [i, { preference }] of (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const path = childPath(itemPath(preferredPath, i), "preference");
    warnings.push(...termWarnings(preference, path), ...termValueWarnings(preference, path));
  }
  for (const [i, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const path = itemPath(inSpec(part, "topologySpreadConstraints"), i);
    const text = oldNodeLabels.get(topologyKey);
    if (text !== undefined) warnings.push(say(childPath(path, "topologyKey"), `${topologyKey} is ${text}`));
    if (labelSelector === undefined) warnings.push(say(childPath(path, "labelSelector"), matchesNothing));
  }
  return warnings;
}

const matchesNothing = "a null labelSelector results in matching no pod";

function termWarnings(term: corev1.NodeSelectorTerm, path: FieldPath): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key }, i) => {
    const text = oldNodeLabels.get(key);
    const keyPath = childPath(itemPath(childPath(path, "matchExpressions"), i), "key");
    return text === undefined ? [] : [say(keyPath, `${key} is ${text}`)];
  });
}

function termValueWarnings(term: corev1.NodeSelectorTerm, path: FieldPath): string[] {
  return (term.matchExpressions ?? []).flatMap(({ values = [] }, i) =>
    values.flatMap((value, j) => {
      const valuePath = itemPath(childPath(itemPath(childPath(path, "matchExpressions"), i), "values"), j);
      return validateLabelValue(value).map((why) => say(valuePath, `${value} is invalid, ${why}`));
    }),
  );
}

function annotationWarnings(part: Part): string[] {
  return Object.entries(oldAnnotations)
    .filter(([name]) => own(part.annotations, name) !== undefined)
    .map(([name, text]) => say(annotationPath(part, name), text));
}

const annotationPath = ({ path }: Part, name: string) => itemPath(childPath(path, "metadata", "annotations"), name);

function volumeWarnings(part: Part): string[] {
  return (part.spec.volumes ?? []).flatMap((volume, i) => {
    const path = itemPath(inSpec(part, "volumes"), i);
    const old = oldVolumes.filter(([field]) => volume[field] !== undefined);
    const claim = volume.ephemeral?.volumeClaimTemplate;
    const claimPath = childPath(path, "ephemeral", "volumeClaimTemplate", "spec");
    return [
      ...old.map(([, reportedAt, text]) => say(childPath(path, reportedAt), text)),
      ...(claim === undefined ? [] : claimSpecWarnings(claim.spec, claimPath)),
    ];
  });
}

function repeatWarnings(part: Part): string[] {
  const { hostAliases = [], imagePullSecrets = [] } = part.spec;
  const secretPath = (i: number) => childPath(itemPath(inSpec(part, "imagePullSecrets"), i), "name");
  return [
    ...repeated(hostAliases.map(({ ip }) => ip ?? "")).map((i) => {
      const path = childPath(itemPath(inSpec(part, "hostAliases"), i), "ip");
      return say(path, `duplicate ip ${quote(hostAliases[i]?.ip ?? "")}`);
    }),
    ...repeated(imagePullSecrets.map(({ name }) => name ?? "")).map((i) =>
      say(secretPath(i), `duplicate name ${quote(imagePullSecrets[i]?.name ?? "")}`),
    ),
    ...imagePullSecrets.flatMap(({ name }, i) =>
      (name ?? "") === "" ? [say(secretPath(i), 'invalid empty name ""')] : [],
    ),
    ...fractionWarnings(part.spec.overhead, inSpec(part, "overhead"), ["memory", "ephemeral-storage"]),
  ];
}

/** Where a text stands for the second time, or again. */
function repeated(texts: readonly string[]): number[] {
  // Most hold none twice, and each new pod is looked at.
  if (new Set(texts).size === texts.length) return [];
  const seen = new Set<string>();
  return [...texts.keys()].filter((i) => {
    const text = texts[i] ?? "";
    if (seen.has(text)) return true;
    seen.add(text);
    return false;
  });
}

function fractionWarnings(
  list: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  names: readonly string[],
): string[] {
  return names.flatMap((name) => {
    const amount = own(list, name);
    if (amount === undefined || !isFractional(amount)) return [];
    return [say(itemPath(path, name), `fractional byte value ${quote(amount)} is invalid, must be an integer`)];
  });
}

function containerWarnings(part: Part): string[] {
  const { annotations, spec } = part;
  const seccomp = (name: string) =>
    own(annotations, name) !== undefined
      ? [say(annotationPath(part, name), 'non-functional in v1.27+; use the "seccompProfile" field instead')]
      : [];
  const ofPod = spec.securityContext?.seccompProfile === undefined ? seccomp(podSeccompAnnotation) : [];
  const ofContainers = containerLists.flatMap((list) =>
    (spec[list] ?? []).flatMap((container, i) => {
      const path = itemPath(inSpec(part, list), i);
      const hasSeccomp = container.securityContext?.seccompProfile !== undefined;
      return [
        ...(hasSeccomp ? [] : seccomp(containerSeccompPrefix + container.name)),
        ...appArmorWarnings(container, part),
        ...containerFractions(container, path),
        ...hiddenVariables(container, path),
      ];
    }),
  );
  return [...ofPod, ...ofContainers];
}

/** Of templates alone: in a pod the field has been filled in. */
function appArmorWarnings(container: corev1.Container, part: Part): string[] {
  const name = appArmorPrefix + container.name;
  const annotation = part.annotations[name];
  if (part.path === undefined || annotation === undefined) return [];
  if (container.securityContext?.appArmorProfile !== undefined) return [];
  const ofPod = part.spec.securityContext?.appArmorProfile;
  if (ofPod !== undefined && deepEqual(ofPod, appArmorFieldOf(annotation))) return [];
  return [say(annotationPath(part, name), 'deprecated since v1.30; use the "appArmorProfile" field instead')];
}

function containerFractions({ resources }: corev1.Container, path: FieldPath): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => [
    ...fractionWarnings(resources?.limits, childPath(path, "resources", "limits"), [name]),
    ...fractionWarnings(resources?.requests, childPath(path, "resources", "requests"), [name]),
  ]);
}

/** A variable may be defined again if the new value is made of the old one. */
function hiddenVariables({ env = [] }: corev1.Container, path: FieldPath): string[] {
  return repeated(env.map(({ name }) => name)).flatMap((i) => {
    const { name = "", value = "", valueFrom } = env[i] ?? { name: "" };
    const reference = `$(${name})`;
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return [];
    const text = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
    return [say(itemPath(childPath(path, "env"), i), text)];
  });
}

function graceWarnings(part: Part): string[] {
  if ((part.spec.terminationGracePeriodSeconds ?? 0) >= 0) return [];
  const text = "must be >= 0; negative values are invalid and will be treated as 1";
  return [say(inSpec(part, "terminationGracePeriodSeconds"), text)];
}

function affinityWarnings(part: Part): string[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((which) => {
    const affinity = part.spec.affinity?.[which];
    const path = inSpec(part, "affinity", which);
    const [required, preferred] = [
      "requiredDuringSchedulingIgnoredDuringExecution",
      "preferredDuringSchedulingIgnoredDuringExecution",
    ] as const;
    return [
      ...(affinity?.[required] ?? []).flatMap(({ labelSelector }, i) =>
        labelSelector === undefined
          ? [say(childPath(itemPath(childPath(path, required), i), "labelSelector"), matchesNothing)]
          : [],
      ),
      ...(affinity?.[preferred] ?? []).flatMap(({ podAffinityTerm }, i) => {
        const selectorPath = childPath(itemPath(childPath(path, preferred), i), "podAffinityTerm", "labelSelector");
        return podAffinityTerm?.labelSelector === undefined ? [say(selectorPath, matchesNothing)] : [];
      }),
    ];
  });
}

function addressWarnings(part: Part): string[] {
  const { dnsConfig, hostAliases = [] } = part.spec;
  return [
    ...(dnsConfig?.nameservers ?? []).flatMap((server, i) =>
      ipWarnings(server, itemPath(inSpec(part, "dnsConfig", "nameservers"), i)),
    ),
    ...hostAliases.flatMap(({ ip = "" }, i) =>
      ipWarnings(ip, childPath(itemPath(inSpec(part, "hostAliases"), i), "ip")),
    ),
  ];
}
