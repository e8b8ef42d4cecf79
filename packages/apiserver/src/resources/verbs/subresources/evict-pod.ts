// POST of an Eviction: deletes a pod, if the budget that guards it allows. The budget is charged first, so that evictions that race
// never take more than it has.
import {
  type corev1,
  fromLabelSelector,
  isConflict,
  type KubernetesObject,
  matchesSelector,
  newBadRequest,
  newForbidden,
  newNotFound,
  newStatusError,
  type policyv1,
  printTime,
  type StatusError,
} from "@kubeloop/core/api";
import { noAdmission } from "../../../admission/chain.ts";
import type { Draft } from "../../../kinds/kind-rules.ts";
import type { Answer } from "../../../wire/answer.ts";
import { evictionKind } from "../../../wire/meta-kinds.ts";
import { checkDeleteOptions, type DeleteOptions } from "../../options/delete-options.ts";
import { evictionOptionsOf } from "../../options/eviction-options.ts";
import { writeOptionsOf } from "../../options/request-options.ts";
import { admitAndValidate } from "../../registry/admission-attributes.ts";
import { checkPreconditions } from "../../registry/decide-delete.ts";
import { deleteObject } from "../../registry/delete-object.ts";
import { guaranteedUpdate } from "../../registry/guaranteed-update.ts";
import { storageKeyOf } from "../../registry/write-context.ts";
import { readPlain } from "../read-object.ts";
import type { RequestScope } from "../request-scope.ts";
import { isPodReady, withCondition } from "./pod-conditions.ts";

const acceptsVersion = (apiVersion: string) => apiVersion === "policy/v1beta1";
const mostDisrupted = 2000;
const attempts = 10;

export async function evictPod(scope: RequestScope): Promise<Answer> {
  const options = writeOptionsOf(scope.request.query, "CreateOptions");
  const eviction = (await readPlain(
    scope,
    { ...evictionKind, acceptsVersion },
    options,
  )) as unknown as policyv1.Eviction;
  const { name } = scope.info;
  if (eviction.metadata?.name !== name) throw newBadRequest("name in URL does not match name in Eviction object");
  const deletion = evictionOptionsOf(eviction, scope.request.query);
  await admitAndValidate(scope, {
    operation: "CREATE",
    kind: evictionKind,
    object: eviction as unknown as Draft<KubernetesObject>,
    options,
    isDryRun: options.isDryRun,
  });
  for (let attempt = 1; ; attempt++) {
    const pod = await podNamed(scope, name);
    const isFree = skipsBudget(pod);
    const guard = isFree ? undefined : await guardOf(scope, pod);
    if (guard === "several") throw severalBudgets();
    const isCharged = guard !== undefined && !(await isSpared(guard, pod));
    if (isCharged && guard !== undefined) await charge(scope, guard, pod, deletion.isDryRun);
    // A pod that was let off because of its state must still be in it.
    const mustStay = deletion.resourceVersion === undefined && !isCharged && mayStillCount(pod);
    const version = mustStay && (isFree || guard !== undefined) ? pod.metadata?.resourceVersion : undefined;
    const checked = version === undefined ? deletion : { ...deletion, resourceVersion: version };
    try {
      await disruptAndDelete(scope, eviction, checked);
      return { kind: "plain", code: 201, object: success };
    } catch (error) {
      if (!isConflict(error) || version === undefined) throw error;
      if (guard !== undefined) throw stillProcessing(guard.metadata?.name ?? "");
      if (attempt >= attempts) throw error;
    }
  }
}

const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

async function podNamed(scope: RequestScope, name: string): Promise<corev1.Pod> {
  const object = await scope.server.storage.get(storageKeyOf(scope, name));
  if (object === undefined) throw newNotFound(scope.served.groupResource, name);
  return object as corev1.Pod;
}

/** What does not run disrupts nothing when it goes. */
function skipsBudget({ metadata, status }: corev1.Pod): boolean {
  return ["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "") || metadata?.deletionTimestamp !== undefined;
}

const mayStillCount = ({ metadata, status }: corev1.Pod) =>
  !["Succeeded", "Failed"].includes(status?.phase ?? "") && metadata?.deletionTimestamp === undefined;

async function guardOf(
  scope: RequestScope,
  pod: corev1.Pod,
): Promise<policyv1.PodDisruptionBudget | "several" | undefined> {
  const namespace = pod.metadata?.namespace ?? "";
  const { objects } = await scope.server.storage.list("policy/poddisruptionbudgets", { prefix: `${namespace}/` });
  const guards = (objects as readonly policyv1.PodDisruptionBudget[]).filter(({ spec }) => {
    if (spec?.selector === undefined) return false;
    return matchesSelector(fromLabelSelector(spec.selector), pod.metadata?.labels ?? {});
  });
  return guards.length > 1 ? "several" : guards[0];
}

/** An unready pod of an application that is well, or whose budget says so, costs nothing. */
async function isSpared({ spec, status }: policyv1.PodDisruptionBudget, pod: corev1.Pod): Promise<boolean> {
  if (isPodReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

async function charge(
  scope: RequestScope,
  { metadata }: policyv1.PodDisruptionBudget,
  pod: corev1.Pod,
  isDryRun: boolean,
): Promise<void> {
  const storageKey = { collection: "policy/poddisruptionbudgets", key: `${metadata?.namespace}/${metadata?.name}` };
  await guaranteedUpdate(
    scope,
    storageKey,
    async (current) => {
      if (current === undefined) {
        throw newNotFound({ group: "policy", resource: "poddisruptionbudgets" }, metadata?.name ?? "");
      }
      const draft = chargedBudget(current, pod.metadata?.name ?? "", scope.server.clock.now());
      recordCharge(scope, draft, current);
      return { kind: "write", draft };
    },
    { isDryRun },
  );
}

/** The server writes it as a client of its own would, through the budget's status. */
function recordCharge(scope: RequestScope, draft: Draft<KubernetesObject>, old: KubernetesObject): void {
  const served = scope.server.catalogue.find({ group: "policy", version: "v1", plural: "poddisruptionbudgets" });
  const subresource = served?.resource.subresources.find(({ name }) => name === "status");
  if (served === undefined || subresource === undefined) return;
  const through = { ...scope, served, subresource };
  scope.server.fieldManagers.recordBuiltIn({ context: through, draft, old, manager: "kube-apiserver" });
}

/** With one disruption less. Throws what a client must wait for. */
function chargedBudget(current: KubernetesObject, podName: string, nowMs: number): Draft<KubernetesObject> {
  const budget = current as policyv1.PodDisruptionBudget;
  const name = budget.metadata?.name ?? "";
  const status = budget.status ?? ({} as policyv1.PodDisruptionBudgetStatus);
  const { disruptionsAllowed = 0, observedGeneration = 0, disruptedPods = {} } = status;
  const forbidden = (detail: string) =>
    newForbidden({ group: "policy", resource: "poddisruptionbudget" }, name, { detail });
  if (observedGeneration < (budget.metadata?.generation ?? 0)) throw stillProcessing(name);
  if (disruptionsAllowed < 0) throw forbidden("pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > mostDisrupted) {
    throw forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (disruptionsAllowed === 0) throw wouldViolate(whyNotAllowed(budget), 0);
  const left = disruptionsAllowed - 1;
  return {
    ...budget,
    metadata: { ...budget.metadata },
    status: {
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...disruptedPods, [podName]: printTime(nowMs) },
      ...(left === 0 ? { conditions: noLongerAllowed(budget, nowMs) } : {}),
    },
  } as unknown as Draft<KubernetesObject>;
}

function noLongerAllowed({ metadata, status }: policyv1.PodDisruptionBudget, nowMs: number) {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== "DisruptionAllowed");
  const old = (status?.conditions ?? []).find(({ type }) => type === "DisruptionAllowed");
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: metadata?.generation,
    lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : printTime(nowMs),
  };
  return [...others, condition];
}

function whyNotAllowed({ metadata, status }: policyv1.PodDisruptionBudget): string {
  const name = metadata?.name ?? "";
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status ?? {};
  const condition = conditions.find(({ type }) => type === "DisruptionAllowed");
  const isReported = condition?.status === "False" && (condition.message ?? "") !== "";
  if (isReported && condition.reason === "SyncFailed") {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const because = isReported ? ` (${condition.reason}): ${condition.message}` : "";
  return `The disruption budget ${name} does not allow evicting pods currently${because}`;
}

/** Tells the pod why it goes, then deletes it. As upstream, how it is to be deleted is looked at in between. */
async function disruptAndDelete(
  scope: RequestScope,
  { deleteOptions = {} }: policyv1.Eviction,
  options: DeleteOptions,
): Promise<void> {
  const { name } = scope.info;
  let checked = options;
  if (!options.isDryRun) {
    const { object } = await guaranteedUpdate(
      scope,
      storageKeyOf(scope, name),
      async (current) => {
        if (current === undefined) throw newNotFound(scope.served.groupResource, name);
        checkPreconditions(current, options);
        const pod = current as corev1.Pod;
        const status = withCondition(pod.status ?? {}, disruption, scope.server.clock.now());
        return { kind: "write", draft: { ...pod, status } as unknown as Draft<KubernetesObject> };
      },
      options,
    );
    if (options.resourceVersion !== undefined) {
      checked = { ...options, resourceVersion: object.metadata.resourceVersion };
    }
  }
  checkDeleteOptions(deleteOptions);
  // The eviction was admitted; the deletion that it comes to is not asked for by anybody.
  await deleteObject({ ...scope, server: { ...scope.server, admission: noAdmission } }, name, checked);
}

const disruption = {
  type: "DisruptionTarget",
  status: "True",
  reason: "EvictionByEvictionAPI",
  message: "Eviction API: evicting",
} as const;

function wouldViolate(why: string, retryAfterSeconds: number): StatusError {
  return newStatusError({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: "DisruptionBudget", message: why }],
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });
}

const stillProcessing = (name: string) =>
  wouldViolate(`The disruption budget ${name} is still being processed by the server.`, 10);

const severalBudgets = () =>
  newStatusError({
    code: 500,
    reason: "",
    message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
  });
