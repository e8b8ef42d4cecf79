// LimitRanger: containers that say nothing about a resource get the namespace's defaults, and whatever a LimitRange forbids is refused.
import {
  type corev1,
  parseQuantity,
  printQuantity,
  type Quantity,
  quantityMilliValue,
  zeroQuantity,
} from "@kubeloop/core/api";
import { podLimits, podRequests, type ResourceAmounts, toAmounts } from "@kubeloop/core/rules";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

const annotation = "kubernetes.io/limit-ranger";

export function limitRanger({ storage }: AdmissionParts): AdmissionPlugin {
  const rangesFor = async (attributes: AdmissionAttributes): Promise<readonly corev1.LimitRange[]> => {
    const isGoing = attributes.oldObject?.metadata.deletionTimestamp !== undefined;
    if (isGoing || !isLimited(attributes)) return [];
    const { objects } = await storage.list("limitranges", { prefix: `${attributes.namespace}/` });
    return objects as readonly corev1.LimitRange[];
  };
  return {
    name: "LimitRanger",
    handles: ["CREATE", "UPDATE"],
    resources: ["pods", "persistentvolumeclaims"],
    async admit(attributes) {
      if (attributes.resource.resource !== "pods") return;
      const pod = attributes.object as unknown as Draft<corev1.Pod>;
      for (const range of await rangesFor(attributes)) fillIn(pod, range);
    },
    async validate(attributes) {
      for (const range of await rangesFor(attributes)) {
        const faults =
          attributes.resource.resource === "pods" ? podFaults(attributes, range) : claimFaults(attributes, range);
        const [first] = faults;
        if (first === undefined) continue;
        throw admissionForbidden(attributes, faults.length === 1 ? first : `[${faults.join(", ")}]`);
      }
    },
  };
}

/** What a pod's containers ask for changes only through its resize. */
function isLimited({ operation, subresource, resource }: AdmissionAttributes): boolean {
  if (resource.resource === "pods" && operation === "UPDATE") return subresource === "resize";
  return subresource === "";
}

function fillIn(pod: Draft<corev1.Pod>, range: corev1.LimitRange): void {
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== "Container") continue;
    Object.assign(requests, item.defaultRequest);
    Object.assign(limits, item.default);
  }
  const set = [
    ...(pod.spec.containers ?? []).flatMap((each) => fillContainer(each, { requests, limits }, "container")),
    ...(pod.spec.initContainers ?? []).flatMap((each) => fillContainer(each, { requests, limits }, "init container")),
  ];
  if (set.length === 0) return;
  const text = `LimitRanger plugin set: ${set.join("; ")}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: text };
}

interface Defaults {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** Says what it did. */
function fillContainer(container: Draft<corev1.Container>, defaults: Defaults, what: string): readonly string[] {
  return (["requests", "limits"] as const).flatMap((field) => {
    const held = container.resources?.[field] ?? {};
    const missing = Object.entries(defaults[field]).filter(([name]) => held[name] === undefined);
    if (missing.length === 0) return [];
    container.resources = { ...container.resources, [field]: { ...held, ...Object.fromEntries(missing) } };
    const names = missing.map(([name]) => name).sort();
    return [`${names.join(", ")} ${field === "requests" ? "request" : "limit"} for ${what} ${container.name}`];
  });
}

interface Asked {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

function podFaults({ object }: AdmissionAttributes, { spec }: corev1.LimitRange): readonly string[] {
  const pod = object as unknown as corev1.Pod;
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  return (spec?.limits ?? []).flatMap((item) => {
    if (item.type === "Container") {
      return containers.flatMap(({ resources }) =>
        itemFaults(item, { requests: toAmounts(resources?.requests), limits: toAmounts(resources?.limits) }),
      );
    }
    if (item.type !== "Pod") return [];
    // What is asked for, without what its class adds.
    const options = { useStatus: false, withOverhead: false };
    return itemFaults(item, { requests: podRequests(pod, options), limits: podLimits(pod, options) });
  });
}

function itemFaults(item: corev1.LimitRangeItem, asked: Asked): readonly string[] {
  const each = (list: corev1.LimitRangeItem["min"], check: Check) =>
    Object.entries(list ?? {}).flatMap(([name, text]) => {
      const request = asked.requests.get(name);
      const limit = asked.limits.get(name);
      return check({ name, type: item.type, text, enforced: parseQuantity(text), request, limit }) ?? [];
    });
  return [...each(item.min, minFault), ...each(item.max, maxFault), ...each(item.maxLimitRequestRatio, ratioFault)];
}

interface Compared {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly enforced: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

type Check = (compared: Compared) => string | undefined;

function minFault({ name, type, text, enforced, request, limit }: Compared): string | undefined {
  const minimum = `minimum ${name} usage per ${type} is ${text}`;
  if (request === undefined) return `${minimum}.  No request is specified`;
  if (isLess(request, enforced)) return `${minimum}, but request is ${printQuantity(request)}`;
  if (limit !== undefined && isLess(limit, enforced)) return `${minimum}, but limit is ${printQuantity(limit)}`;
  return undefined;
}

function maxFault({ name, type, text, enforced, request, limit }: Compared): string | undefined {
  const maximum = `maximum ${name} usage per ${type} is ${text}`;
  if (limit === undefined) return `${maximum}.  No limit is specified`;
  if (isLess(enforced, limit)) return `${maximum}, but limit is ${printQuantity(limit)}`;
  if (request !== undefined && isLess(enforced, request)) return `${maximum}, but request is ${printQuantity(request)}`;
  return undefined;
}

/** Of a claim, which has no limits. */
function maxRequestFault({ name, type, text, enforced, request }: Compared): string | undefined {
  const maximum = `maximum ${name} usage per ${type} is ${text}`;
  if (request === undefined) return `${maximum}.  No request is specified`;
  return isLess(enforced, request) ? `${maximum}, but request is ${printQuantity(request)}` : undefined;
}

function ratioFault({ name, type, text, enforced, request, limit }: Compared): string | undefined {
  const ratio = `${name} max limit to request ratio per ${type} is ${text}`;
  const requested = quantityMilliValue(request ?? zeroQuantity);
  const limited = quantityMilliValue(limit ?? zeroQuantity);
  if (requested === 0n) return `${ratio}, but no request is specified or request is 0`;
  if (limited === 0n) return `${ratio}, but no limit is specified or limit is 0`;
  const provided = Number(limited) / Number(requested);
  const isTooLarge = provided * 1000 > Number(quantityMilliValue(enforced));
  return isTooLarge ? `${ratio}, but provided ratio is ${provided.toFixed(6)}` : undefined;
}

const isLess = (a: Quantity, b: Quantity) => quantityMilliValue(a) < quantityMilliValue(b);

function claimFaults({ object }: AdmissionAttributes, { spec }: corev1.LimitRange): readonly string[] {
  const claim = object as unknown as corev1.PersistentVolumeClaim;
  const requests = toAmounts(claim.spec?.resources?.requests);
  return (spec?.limits ?? [])
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap(({ type, min = {}, max = {} }) => {
      const compared = (name: string, text: string): Compared => ({
        name,
        type,
        text,
        enforced: parseQuantity(text),
        request: requests.get(name),
        limit: undefined,
      });
      return [
        ...Object.entries(min).flatMap(([name, text]) => minFault(compared(name, text)) ?? []),
        ...Object.entries(max).flatMap(([name, text]) => maxRequestFault(compared(name, text)) ?? []),
      ];
    });
}
