// What the checks of a pod's spec must know beside it: whether it is a pod's or a template's, and which old faults may stay because
// they were let in before the rule existed.
import { type corev1, validateLabelValue } from "@kubeloop/core/api";
import { podDeletionCost } from "@kubeloop/core/rules";
import { checkLabelSelector, type LabelMap } from "../shared/labels.ts";
import { isWholePages, type ResourceList } from "../shared/quantities.ts";
import { isHugePages } from "../shared/resource-names.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { affinityTerms } from "./affinity-terms.ts";
import { isLocalPath } from "./file-paths.ts";
import { hostFieldOf } from "./sysctls.ts";
import { allContainers, isSidecar } from "./visit-containers.ts";

/** Each `allows…` is false for what is new. */
export interface PodSpecOptions {
  readonly isPod: boolean;
  readonly allowsAnyDeletionCost: boolean;
  readonly allowsInvalidSelectorValues: boolean;
  readonly allowsInvalidNodeAffinityValues: boolean;
  readonly allowsInvalidSpreadSelectors: boolean;
  readonly allowsPartialHugePages: boolean;
  readonly allowsAnyTokenPath: boolean;
  readonly allowsHostSysctls: boolean;
  readonly allowsAnySelinuxChangePolicy: boolean;
  readonly allowsUserNamespaceOnHostNetwork: boolean;
  readonly allowsDevicesInUserNamespace: boolean;
  readonly allowsRestartToResizeInit: boolean;
  readonly allowsComparingTolerations: boolean;
}

export interface PodParts {
  readonly spec: corev1.PodSpec;
  readonly annotations: LabelMap | undefined;
}

const strict = {
  allowsAnyDeletionCost: false,
  allowsInvalidSelectorValues: false,
  allowsInvalidNodeAffinityValues: false,
  allowsInvalidSpreadSelectors: false,
  allowsPartialHugePages: false,
  allowsAnyTokenPath: false,
  allowsHostSysctls: false,
  allowsAnySelinuxChangePolicy: false,
  allowsUserNamespaceOnHostNetwork: false,
  allowsDevicesInUserNamespace: false,
  allowsRestartToResizeInit: false,
  allowsComparingTolerations: false,
};

/** `old` is what is stored already. */
export function podSpecOptions({ isPod }: { readonly isPod: boolean }, old?: PodParts): PodSpecOptions {
  if (old === undefined) return { isPod, ...strict };
  const { spec, annotations } = old;
  const usesUserNamespace = spec.hostUsers === false;
  return {
    isPod,
    allowsAnyDeletionCost: podDeletionCost(annotations) === undefined,
    allowsInvalidSelectorValues: affinityTerms(spec.affinity).some(
      (term) => isFaultySelector(term.labelSelector) || isFaultySelector(term.namespaceSelector),
    ),
    allowsInvalidNodeAffinityValues: hasInvalidNodeAffinityValue(spec),
    allowsInvalidSpreadSelectors: (spec.topologySpreadConstraints ?? []).some((each) =>
      isFaultySelector(each.labelSelector),
    ),
    allowsPartialHugePages: hasPartialHugePages(spec),
    allowsAnyTokenPath: hasNonLocalTokenPath(spec),
    allowsHostSysctls: (spec.securityContext?.sysctls ?? []).some(({ name }) => hostFieldOf(name, spec) !== undefined),
    allowsAnySelinuxChangePolicy: spec.securityContext?.seLinuxChangePolicy !== undefined,
    allowsUserNamespaceOnHostNetwork: usesUserNamespace && spec.hostNetwork === true,
    allowsDevicesInUserNamespace:
      usesUserNamespace && allContainers(spec).some(({ volumeDevices = [] }) => volumeDevices.length > 0),
    allowsRestartToResizeInit: (spec.initContainers ?? []).some(
      (container) =>
        !isSidecar(container) &&
        (container.resizePolicy ?? []).some(({ restartPolicy }) => restartPolicy === "RestartContainer"),
    ),
    allowsComparingTolerations: (spec.tolerations ?? []).some(({ operator }) => operator === "Lt" || operator === "Gt"),
  };
}

function isFaultySelector(selector: Parameters<typeof checkLabelSelector>[0]): boolean {
  return collectFaults("selector", (fldPath) => checkLabelSelector(selector, fldPath)).length > 0;
}

function hasInvalidNodeAffinityValue({ affinity }: corev1.PodSpec): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }) => values.some((value) => validateLabelValue(value).length > 0)),
  );
}

function hasPartialHugePages(spec: corev1.PodSpec): boolean {
  const isPartial = (list: ResourceList | undefined) =>
    Object.entries(list ?? {}).some(([name, amount]) => isHugePages(name) && !isWholePages(name, amount));
  return (
    isPartial(spec.overhead) ||
    allContainers(spec).some(({ resources }) => isPartial(resources?.limits) || isPartial(resources?.requests))
  );
}

function hasNonLocalTokenPath(spec: corev1.PodSpec): boolean {
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some(({ serviceAccountToken: token }) => token !== undefined && !isLocalPath(token.path));
}
