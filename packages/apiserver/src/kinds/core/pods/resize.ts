// `/resize`: what a running pod's containers get, of cpu and memory, and nothing else.
import type { corev1 } from "@kubeloop/core/api";
import { podQosClass } from "@kubeloop/core/rules";
import type { Draft } from "../../kind-rules.ts";
import { mirrorAnnotation } from "../../pod-spec/check-template.ts";
import { dropDisabledFields } from "../../pod-spec/drop-disabled.ts";
import { isSidecar } from "../../pod-spec/visit-containers.ts";
import { isSame } from "../../shared/same.ts";
import { collectFaults, type ValidationPath } from "../../shared/validation-path.ts";
import { checkPod, placesOf, podOptions } from "./check-pod.ts";
import { podSpecSchema } from "./check-update.ts";
import { keepAllBut, raisePodGeneration } from "./keep-metadata.ts";
import { qosClassOf } from "./qos-class.ts";

type Pod = corev1.Pod;
type Container = corev1.Container;
type Resources = corev1.ResourceRequirements;
type ResourceList = Readonly<Record<string, string>>;

const containerSchema = "io.k8s.api.core.v1.Container";
const resourcesSchema = "io.k8s.api.core.v1.ResourceRequirements";

/** Containers that came, went or changed places stay as sent, to be refused. */
export function prepareResize(pod: Draft<Pod>, old: Pod): void {
  const { initContainers, resources } = pod.spec;
  const containers = pod.spec.containers ?? [];
  const oldContainers = old.spec.containers ?? [];
  const isSameLength =
    containers.length === oldContainers.length &&
    (initContainers ?? []).length === (old.spec.initContainers ?? []).length;
  if (!isSameLength) {
    dropDisabledFields(pod.spec, old.spec);
    raisePodGeneration(pod, old);
    return;
  }
  const { resources: _, ...rest } = old.spec as Draft<corev1.PodSpec>;
  const spec: Draft<corev1.PodSpec> = { ...rest, containers: withResources(containers, oldContainers) };
  if (initContainers !== undefined) {
    spec.initContainers = withResources(initContainers, old.spec.initContainers ?? []);
  }
  if (resources !== undefined) spec.resources = resources;
  keepAllBut(pod, old, spec);
}

function withResources(containers: Draft<Container>[], old: readonly Container[]): Draft<Container>[] {
  if (containers.some(({ name }, i) => name !== old[i]?.name)) return containers;
  return containers.map(({ resources, resizePolicy }, i) => {
    const { resources: _, resizePolicy: __, ...rest } = old[i] as Draft<Container>;
    return {
      ...rest,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

export function resizeFaults(pod: Pod, old: Pod) {
  const never = Object.hasOwn(old.metadata.annotations ?? {}, mirrorAnnotation)
    ? "static pods cannot be resized"
    : old.spec.os?.name === "windows"
      ? "windows pods cannot be resized"
      : undefined;
  if (never !== undefined) return collectFaults("spec", (fldPath) => fldPath.whole.forbidden(never));
  return collectFaults("spec", (fldPath) => checkResize(pod, old, fldPath));
}

function checkResize(pod: Pod, old: Pod, fldPath: ValidationPath): void {
  checkPod(pod, placesOf(fldPath), podOptions(old));
  if (podQosClass(old) !== qosClassOf(pod)) {
    fldPath.invalid(pod.status?.qosClass ?? "", "Pod QOS Class may not change as a result of resizing");
  }
  if (!isNodeAble(old)) fldPath.forbidden("Pod running on node without support for resize");
  const ofPod = checkPodLevel(pod, old, fldPath);
  if ((old.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0) {
    fldPath.forbidden("pods with node allocatable resource claims cannot be resized");
  }
  const before = fldPath.faultCount;
  checkOrder(pod.spec.containers, old.spec.containers, "containers", fldPath);
  checkOrder(pod.spec.initContainers, old.spec.initContainers, "initContainers", fldPath);
  if (fldPath.faultCount > before) return;
  checkNothingRemoved(pod, old, fldPath);
  const oldContainers = old.spec.containers ?? [];
  const containers = (pod.spec.containers ?? []).map((container, i) => masked(container, oldContainers[i]));
  for (const [i, container] of containers.entries()) {
    if (!isSame(container, oldContainers[i], containerSchema)) {
      fldPath.forbidden("only cpu and memory resources are mutable");
    }
  }
  const initContainers = checkInitContainers(pod, old, fldPath);
  if (fldPath.faultCount > 0) return;
  const spec = { ...pod.spec, ...ofPod, containers, ...(initContainers === undefined ? {} : { initContainers }) };
  const { resources, ...rest } = spec;
  const whole = resources === undefined ? rest : spec;
  if (!isSame(whole, old.spec, podSpecSchema)) fldPath.forbidden("only cpu and memory resources are mutable");
}

/** A node that tells what containers have can give them something else. */
function isNodeAble({ status }: Pod): boolean {
  const running = (status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

/** Answers with the resources of the pod as a whole, masked. */
function checkPodLevel(pod: Pod, old: Pod, fldPath: ValidationPath): { readonly resources?: Resources | undefined } {
  const isSet = ({ spec }: Pod) => Object.keys({ ...spec.resources?.requests, ...spec.resources?.limits }).length > 0;
  if (!isSet(pod) && !isSet(old)) return {};
  const resourcesPath = fldPath.at("resources");
  const { resources } = pod.spec;
  const { resources: before } = old.spec;
  if (before !== undefined && resources === undefined) {
    resourcesPath.forbidden("pod-level resources cannot be removed");
    return {};
  }
  for (const list of ["requests", "limits"] as const) {
    if (isRemoved(resources?.[list], before?.[list])) {
      resourcesPath.at(list).forbidden(`pod-level resource ${list} cannot be removed`);
    }
  }
  const kept = maskedResources(resources, before);
  if (!isSame(kept, before, resourcesSchema))
    fldPath.forbidden("only cpu and memory resources are mutable at pod-level");
  return { resources: kept };
}

type ContainerList = readonly Container[] | undefined;

function checkOrder(
  containers: ContainerList,
  old: ContainerList,
  list: "containers" | "initContainers",
  fldPath: ValidationPath,
): void {
  if ((containers ?? []).length !== (old ?? []).length) {
    fldPath.at(list).forbidden(`${list} may not be added or removed on resize`);
    return;
  }
  for (const [i, { name }] of (old ?? []).entries()) {
    if (containers?.[i]?.name === name) continue;
    fldPath.at(list).item(i).at("name").forbidden(`${list} may not be renamed or reordered on resize`);
  }
}

function checkNothingRemoved(pod: Pod, old: Pod, fldPath: ValidationPath): void {
  for (const list of ["initContainers", "containers"] as const) {
    for (const [i, before] of (old.spec[list] ?? []).entries()) {
      const resources = pod.spec[list]?.[i]?.resources;
      const resourcesPath = fldPath.at(list).item(i).at("resources");
      for (const amounts of ["requests", "limits"] as const) {
        if (isRemoved(resources?.[amounts], before.resources?.[amounts])) {
          resourcesPath.at(amounts).forbidden(`resource ${amounts} cannot be removed`);
        }
      }
    }
  }
}

function isRemoved(list: ResourceList | undefined, old: ResourceList | undefined): boolean {
  return Object.keys(old ?? {}).some((name) => !Object.hasOwn(list ?? {}, name));
}

function checkInitContainers(pod: Pod, old: Pod, fldPath: ValidationPath): readonly Container[] | undefined {
  const { initContainers } = pod.spec;
  return initContainers?.map((container, i) => {
    const before = old.spec.initContainers?.[i];
    const containerPath = fldPath.at("initContainers").item(i);
    const kept = masked(container, before);
    if (!isSame(kept, before, containerSchema)) {
      const why = "only cpu and memory resources for init or sidecar containers are mutable";
      containerPath.forbidden(why);
    }
    const isModified = !isSame(container, before, containerSchema);
    for (const { restartPolicy } of container.resizePolicy ?? []) {
      if (!isModified || isSidecar(container) || restartPolicy !== "RestartContainer") continue;
      const why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
      containerPath.forbidden(why);
    }
    return kept;
  });
}

/** The container with cpu and memory as they were; claims are not looked at. */
function masked(container: Container, old: Container | undefined): Container {
  const { limits, requests } = maskedResources(container.resources ?? {}, old?.resources) ?? {};
  return {
    ...container,
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
  };
}

function maskedResources(resources: Resources | undefined, old: Resources | undefined): Resources | undefined {
  if (resources === undefined) return undefined;
  const { limits: _, requests: __, ...rest } = resources;
  const limits = maskedList(resources.limits, old?.limits);
  const requests = maskedList(resources.requests, old?.requests);
  const kept = {
    ...rest,
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
  };
  return old === undefined && Object.keys(kept).length === 0 ? undefined : kept;
}

function maskedList(list: ResourceList | undefined, old: ResourceList | undefined): ResourceList {
  const { cpu: _, memory: __, ...rest } = list ?? {};
  return {
    ...rest,
    ...(old?.["cpu"] === undefined ? {} : { cpu: old["cpu"] }),
    ...(old?.["memory"] === undefined ? {} : { memory: old["memory"] }),
  };
}
