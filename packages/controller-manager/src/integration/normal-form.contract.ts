// The objects of a scenario in a form in which two clusters can be compared: without what the server chose (uids, versions, times, the random
// ends of names), with references by name, and events counted by object and reason. Those of a scenario are the ones in its namespace, and all
// whose name or namespace has that name in it: other namespaces, nodes, roles.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Client } from "@kubeloop/core/client";
import { preferredResources } from "@kubeloop/core/contract";

type Json = { readonly [field: string]: unknown };

/** By resource, each object printed; sorted. */
export type NormalForm = Readonly<Record<string, readonly Json[]>>;

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** What the server says of an object for itself. */
const serversFields = new Set(["uid", "resourceVersion", "selfLink"]);

export interface NormalFormOptions {
  readonly namespace: string;
  /** Reasons of events that are repeated for as long as something fails: how often is a matter of time. */
  readonly repeatedEvents?: readonly string[];
  /**
   * A manager was killed: several changes may have become one write, and the first look after a start knows nothing of those before. So it does not
   * matter whether the last write of endpoints had a time of its change, nor which set is said to have progressed: that of the rollout before, if
   * the status never told of the last one while it went on.
   */
  readonly isInterrupted?: boolean;
}

export async function normalForm(
  client: Client,
  { namespace, repeatedEvents = [], isInterrupted = false }: NormalFormOptions,
  signal: AbortSignal,
): Promise<NormalForm> {
  const served = await client.discovery.discover(signal);
  const isOfScenario = newIsOfScenario(namespace);
  const objects: (readonly [resource: string, object: KubernetesObject])[] = [];
  for (const resource of preferredResources(served, ["list"])) {
    const name = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
    if (passedOver.has(name)) continue;
    for await (const object of client.resource(resource).list({}, signal)) {
      if (isOfScenario(object as KubernetesObject)) objects.push([name, object as KubernetesObject]);
    }
  }
  const all = newNames(
    objects.map(([, object]) => object),
    namespace,
  );
  const names = isInterrupted ? { replace: (text: string) => all.replace(text).replace(progressedSet, "$1*$2") } : all;
  const dealt = dealEndpoints(objects.map(([, object]) => object));
  const toNormal = (object: KubernetesObject) => {
    const normal = normalized(withoutChance(object, names), names);
    if (!historic.has(object.kind)) return normal;
    return withoutHistory(normal, isInterrupted ? /^generation$|last-change-trigger-time$/ : /^generation$/);
  };
  const form: Record<string, Json[]> = {};
  for (const [resource, object] of objects) {
    if (resource === "events") continue;
    form[resource] = [...(form[resource] ?? []), toNormal(dealt.get(object) ?? object) as Json];
  }
  const isThere = (name: string) => objects.some(([kind, { metadata }]) => kind === "nodes" && metadata.name === name);
  form["events"] = countEvents(
    objects
      .filter(([resource]) => resource === "events")
      .map(([, object]) => object)
      .filter((event) => !isOfPassingNode(event, isThere)),
    names,
  ).map((event) => (repeatedEvents.includes(String(event["reason"])) ? { ...event, count: "several" } : event));
  return Object.fromEntries(Object.entries(form).map(([resource, list]) => [resource, list.toSorted(byText)]));
}

/** Events of both groups are the same objects; the other is not stored. */
const passedOver = new Set(["events.events.k8s.io", "componentstatuses"]);

function newIsOfScenario(namespace: string): (object: KubernetesObject) => boolean {
  // Not `scenario-11` for `scenario-1`.
  const pattern = new RegExp(`(?<![a-z0-9])${namespace}(?![0-9])`);
  return (object) => {
    const { name = "", namespace: at = "" } = object.metadata;
    const about = (object as EventFacts).involvedObject?.name ?? "";
    return pattern.test(`${at}/${name}/${about}`);
  };
}

interface Names {
  /** What replaces a text, wherever it stands. */
  readonly replace: (text: string) => string;
}

/** Of what is gone by now, or is another scenario's. */
const anyUid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The message of the condition Progressing when a rollout is complete. */
const progressedSet = /^(ReplicaSet ").*(" has successfully progressed\.)$/;

/** Five letters that a server draws for a generated name: no vowels, nothing that looks like another one. */
const drawnEnd = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])/g;

/** Of the managers' --cluster-cidr: which of the free ones a node gets depends on who else comes at that moment. */
const podNetwork = /\b10\.244\.\d+\.0\/24|fd00:10:244:[0-9a-f]*:?:?\/64/g;

/** Random ends of names become stars; uids become what they are the uid of; the namespace is called so. */
function newNames(objects: readonly KubernetesObject[], namespace: string): Names {
  const owners = objects.map(({ kind, metadata: { name = "", uid = "" } }) => [uid, `uid of ${kind} ${name}`] as const);
  return {
    replace: (text) =>
      owners
        .reduce((all, [uid, what]) => (uid === "" ? all : all.replaceAll(uid, what)), text)
        .replaceAll(anyUid, "<uid>")
        .replaceAll(drawnEnd, "-*")
        .replaceAll(podNetwork, "<network of a node>")
        .replaceAll(namespace, "<namespace>"),
  };
}

const certificatePattern = /^-----BEGIN CERTIFICATE-----/;
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const base64Pattern = /^[A-Za-z0-9+/]{40,}={0,2}$/;

/** Each cluster has its own authority and its own key: a certificate is that it is one, a token is what it claims. */
function normalText(text: string, names: Names): string {
  if (timePattern.test(text)) return "<time>";
  if (certificatePattern.test(text)) return "<certificate>";
  if (base64Pattern.test(text)) {
    const decoded = Buffer.from(text, "base64").toString();
    if (certificatePattern.test(decoded) || tokenPattern.test(decoded))
      return `<base64 of ${normalText(decoded, names)}>`;
  }
  if (!tokenPattern.test(text) || !text.startsWith("ey")) return names.replace(text);
  const [header = "", claims = ""] = text.split(".").map((part) => Buffer.from(part, "base64url").toString());
  return names.replace(`<token ${header.replace(/"kid":"[^"]*"/, '"kid":"…"')} ${claims}>`);
}

function normalized(value: unknown, names: Names): unknown {
  if (typeof value === "string") return normalText(value, names);
  if (Array.isArray(value)) return value.map((one) => normalized(one, names));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !serversFields.has(key));
  return Object.fromEntries(
    entries
      .map(([key, one]): [string, unknown] => {
        const normal = normalized(one, names);
        // The server has them in the order of their times.
        return [names.replace(key), key === "managedFields" ? (normal as unknown[]).toSorted(byText) : normal];
      })
      .toSorted(byText),
  );
}

interface SliceFacts extends KubernetesObject {
  readonly addressType?: string;
  readonly ports?: unknown;
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[] | null;
}

/**
 * Which endpoint is in which of several slices, and where in it, is chance: upstream takes them in the order of a Go map. So the endpoints of the
 * slices that belong together are dealt out anew, in the order of their addresses; how many each slice has stays.
 */
function dealEndpoints(objects: readonly KubernetesObject[]): ReadonlyMap<KubernetesObject, KubernetesObject> {
  const groups = new Map<string, SliceFacts[]>();
  for (const slice of objects.filter(({ kind }) => kind === "EndpointSlice") as readonly SliceFacts[]) {
    const { namespace, labels = {} } = slice.metadata;
    const group = JSON.stringify([namespace, labels, slice.addressType, slice.ports]);
    groups.set(group, [...(groups.get(group) ?? []), slice]);
  }
  const dealt = new Map<KubernetesObject, KubernetesObject>();
  for (const slices of groups.values()) {
    const all = slices.flatMap(({ endpoints }) => endpoints ?? []).toSorted((a, b) => byText(a.addresses, b.addresses));
    for (const slice of slices.toSorted((a, b) => (b.endpoints?.length ?? 0) - (a.endpoints?.length ?? 0))) {
      if (slice.endpoints) dealt.set(slice, { ...slice, endpoints: all.splice(0, slice.endpoints.length) } as never);
    }
  }
  return dealt;
}

/** The addresses of a Service are drawn; the subsets of Endpoints are in the order of a hash over uids. */
function withoutChance(object: KubernetesObject, names: Names): unknown {
  const { spec, subsets, ...rest } = object as KubernetesObject & { spec?: Json; subsets?: readonly unknown[] };
  if (object.kind === "Endpoints" && subsets !== undefined) {
    return { ...rest, subsets: subsets.map((subset) => normalized(subset, names)).toSorted(byText) };
  }
  const ips = object.kind === "Service" ? spec?.["clusterIPs"] : undefined;
  if (!Array.isArray(ips) || ips[0] === "None") return object;
  return { ...rest, spec: { ...spec, clusterIP: "<cluster IP>", clusterIPs: ips.map(() => "<cluster IP>") } };
}

/** Kinds of which the generation is how often a controller wrote them: how many changes became one write is a matter of time. */
const historic = new Set(["EndpointSlice", "Endpoints"]);

/** Annotations of which nothing is left are left out, as a server does it. */
function withoutHistory(value: unknown, history: RegExp): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutHistory(one, history));
  if (typeof value !== "object" || value === null) return value;
  const isEmpty = (one: unknown) => Object.keys(one as object).every((name) => name === ".");
  const kept = Object.entries(value)
    .filter(([key]) => !history.test(key))
    .map(([key, one]) => [key, withoutHistory(one, history)] as const)
    .filter(([key, one]) => !(/^(?:f:)?annotations$/.test(key) && isEmpty(one)));
  return Object.fromEntries(kept);
}

/** Nodes are counted every five seconds: whether one that is gone was there when they were is chance. */
function isOfPassingNode({ reason, involvedObject }: EventFacts, isThere: (node: string) => boolean): boolean {
  const isOfCount = reason === "RegisteredNode" || reason === "RemovingNode";
  return isOfCount && !isThere(involvedObject?.name ?? "");
}

interface EventFacts extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly source?: { readonly component?: string };
}

/** Of the server's own loop that repairs addresses, which runs every few minutes, whatever the managers do. */
const ofServer = new Set(["ClusterIPNotAllocated"]);

function countEvents(events: readonly KubernetesObject[], names: Names): Json[] {
  const counts = new Map<string, number>();
  for (const event of (events as readonly EventFacts[]).filter(({ reason = "" }) => !ofServer.has(reason))) {
    const { type, reason, message = "", count = 1, involvedObject: about = {}, source } = event;
    const what = {
      type,
      reason,
      kind: about.kind,
      name: names.replace(about.name ?? ""),
      message: names.replace(message),
      by: source?.component,
    };
    const text = JSON.stringify(what);
    counts.set(text, (counts.get(text) ?? 0) + count);
  }
  return [...counts].map(([text, count]) => ({ ...(JSON.parse(text) as Json), count }));
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
