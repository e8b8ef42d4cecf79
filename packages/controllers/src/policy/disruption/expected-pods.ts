// How many pods a budget expects, and how many of these have to be healthy. A whole number as minAvailable speaks of the pods that there are;
// a share, and maxUnavailable, of those that their controllers want. A controller whose kind is not cached is asked for its scale, live.
import {
  type autoscalingv1,
  controllerOf,
  type corev1,
  type metav1,
  objectKeyOf,
  parseGroupVersion,
  type Resource,
  scaledValue,
} from "@kubeloop/core/api";
import { KubeloopError, toError } from "@kubeloop/core/base";
import {
  type DecideContext,
  discover,
  liveGetSubresource,
  type Question,
  resourceOfKind,
} from "@kubeloop/core/contract";
import type { Observed, Scaled } from "./observe.ts";

export type Expected =
  | {
      readonly is: "known";
      readonly expectedPods: number;
      readonly desiredHealthy: number;
      /** Whether some pods have no controller, so that a count of what controllers want leaves them out. */
      readonly hasUnmanaged: boolean;
    }
  | { readonly is: "asked"; readonly questions: readonly Question[] }
  /** `isTransient`: the server could not be asked, so the same question may have an answer later. */
  | { readonly is: "unknown"; readonly error: Error; readonly isTransient: boolean };

export function expectedPods(
  observed: Observed,
  pods: readonly corev1.Pod[],
  context: Pick<DecideContext, "answer">,
): Expected {
  const { minAvailable, maxUnavailable } = observed.budget.spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable === "number") {
    return { is: "known", expectedPods: pods.length, desiredHealthy: minAvailable, hasUnmanaged: false };
  }
  const share = maxUnavailable ?? minAvailable;
  if (share === undefined) return { is: "known", expectedPods: 0, desiredHealthy: 0, hasUnmanaged: false };
  const wanted = wantedPods(observed, pods, context);
  if (wanted.is !== "known") return wanted;
  const { expectedPods: total } = wanted;
  try {
    const value = scaledValue(share, total, { round: "up" });
    return { ...wanted, desiredHealthy: maxUnavailable === undefined ? value : Math.max(0, total - value) };
  } catch (error) {
    return { is: "unknown", error: toError(error), isTransient: false };
  }
}

/** The sum of what the controllers of the pods want, each counted once. */
function wantedPods(observed: Observed, pods: readonly corev1.Pod[], context: Pick<DecideContext, "answer">): Expected {
  const replicas = new Map<string, number>();
  const questions = new Map<string, Question>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined) {
      hasUnmanaged = true;
      continue;
    }
    if (replicas.has(controller.uid)) continue;
    const cached = observed.findScaled(controller);
    const found: Found =
      cached === undefined ? askForScale(observed, pod, controller, context) : { is: "found", ...cached };
    if (found.is === "unknown") return found;
    if (found.is === "asked") questions.set(found.question.id, found.question);
    else replicas.set(found.uid, found.replicas);
  }
  if (questions.size > 0) return { is: "asked", questions: [...questions.values()] };
  const total = [...replicas.values()].reduce((sum, count) => sum + count, 0);
  return { is: "known", expectedPods: total, desiredHealthy: 0, hasUnmanaged };
}

type Found =
  | ({ readonly is: "found" } & Scaled)
  | { readonly is: "asked"; readonly question: Question }
  | Extract<Expected, { readonly is: "unknown" }>;

function askForScale(
  { resourceOf }: Observed,
  { metadata: { name = "", namespace = "" } }: corev1.Pod,
  controller: metav1.OwnerReference,
  context: Pick<DecideContext, "answer">,
): Found {
  const { apiVersion, kind } = controller;
  const resource = resourceOf(controller) ?? discoveredResource(controller, context);
  if (resource === "asked") return { is: "asked", question: discover() };
  if (resource instanceof Error) return { is: "unknown", error: resource, isTransient: true };
  if (resource === undefined) return unknown(`no matches for kind "${kind}" in version "${apiVersion}"`);
  if (!resource.subresources.some((subresource) => subresource.name === "scale")) {
    const suffix = resource.group === "" ? "" : `.${resource.group}`;
    return unknown(`${resource.plural}${suffix} does not implement the scale subresource`);
  }
  const key = objectKeyOf(resource.namespaced ? namespace : "", controller.name);
  const question = liveGetSubresource(resource, key, "scale");
  const answer = context.answer(question);
  if (answer === undefined) return { is: "asked", question };
  if (!answer.ok) return { is: "unknown", error: answer.error, isTransient: true };
  const scale = answer.value as autoscalingv1.Scale | undefined;
  if (scale === undefined || scale.metadata?.uid !== controller.uid) {
    return unknown(`found no controllers for pod "${name}"`);
  }
  return { is: "found", uid: controller.uid, replicas: scale.spec?.replicas ?? 0 };
}

/**
 * A kind that the last discovery did not have may be new: the server is asked again before it counts as unknown. Returns the error if discovery of
 * its group failed, because the kind may be served all the same.
 */
function discoveredResource(
  controller: metav1.OwnerReference,
  context: Pick<DecideContext, "answer">,
): Resource | Error | "asked" | undefined {
  const answer = context.answer(discover());
  if (answer === undefined) return "asked";
  if (!answer.ok) return answer.error;
  const { group } = parseGroupVersion(controller.apiVersion);
  const failed = [...answer.value.failures].find(([version]) => parseGroupVersion(version).group === group);
  return resourceOfKind(answer.value, controller) ?? failed?.[1];
}

function unknown(message: string): Found {
  return { is: "unknown", error: new KubeloopError(message, { reason: "UnknownController" }), isTransient: false };
}
