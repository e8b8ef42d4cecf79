// The objects of a scenario in a form in which two clusters can be compared: without what the server chose (uids, versions, times, the random
// ends of names), with references by name, and events counted by object and reason. A scenario's objects are those in its namespace and in
// namespaces that are named after it, and the cluster-scoped ones that are named after it: those namespaces, its nodes, its ClusterRoles.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Client } from "@kubeloop/core/client";
import { preferredResources } from "@kubeloop/core/contract";

type Json = { readonly [field: string]: unknown };

/** By resource, each object printed; sorted. */
export type NormalForm = Readonly<Record<string, readonly Json[]>>;

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** What the server says of an object for itself. */
const serversFields = new Set(["uid", "resourceVersion", "managedFields", "selfLink"]);

export interface NormalFormOptions {
  readonly namespace: string;
  /** Reasons of events that are repeated for as long as something fails: how often is a matter of time. */
  readonly repeatedEvents?: readonly string[];
}

export async function normalForm(
  client: Client,
  { namespace, repeatedEvents = [] }: NormalFormOptions,
  signal: AbortSignal,
): Promise<NormalForm> {
  const served = await client.discovery.discover(signal);
  const objects: (readonly [resource: string, object: KubernetesObject])[] = [];
  for (const resource of preferredResources(served, ["list"])) {
    const id = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
    // Events of both groups are the same objects.
    if (id === "events.events.k8s.io") continue;
    for await (const object of client.resource(resource).list({}, signal)) {
      if (isOfScenario((object as KubernetesObject).metadata, namespace))
        objects.push([id, object as KubernetesObject]);
    }
  }
  const names = newNames(
    objects.map(([, object]) => object),
    namespace,
  );
  const form: Record<string, Json[]> = {};
  for (const [resource, object] of objects) {
    if (resource === "events") continue;
    form[resource] = [...(form[resource] ?? []), normalized(object, names) as Json];
  }
  form["events"] = countEvents(
    objects.filter(([resource]) => resource === "events").map(([, object]) => object),
    names,
  ).map((event) => (repeatedEvents.includes(String(event["reason"])) ? { ...event, count: "several" } : event));
  return Object.fromEntries(Object.entries(form).map(([resource, list]) => [resource, list.toSorted(byText)]));
}

/** By its namespace, or by its name if it has none. Scenarios are numbered: what begins with the same digits may be another's. */
export function isOfScenario(
  { namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string },
  scenarioNamespace: string,
): boolean {
  const whose = namespace === "" ? name : namespace;
  return whose === scenarioNamespace || ["-", ":"].some((next) => whose.startsWith(`${scenarioNamespace}${next}`));
}

interface Names {
  /** What replaces a text, wherever it stands. */
  readonly replace: (text: string) => string;
}

/** Five letters that a server draws for a generated name: no vowels, nothing that looks like another one. */
const drawnEnd = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])/g;

/** Random ends of names become stars; uids become what they are the uid of; the namespace is called so. */
function newNames(objects: readonly KubernetesObject[], namespace: string): Names {
  const owners = objects.map(({ kind, metadata: { name = "", uid = "" } }) => [uid, `uid of ${kind} ${name}`] as const);
  return {
    replace: (text) =>
      owners
        .reduce((all, [uid, what]) => (uid === "" ? all : all.replaceAll(uid, what)), text)
        .replaceAll(drawnEnd, "-*")
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
  return Object.fromEntries(entries.map(([key, one]) => [names.replace(key), normalized(one, names)]).toSorted(byText));
}

interface EventFacts extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly source?: { readonly component?: string };
}

function countEvents(events: readonly KubernetesObject[], names: Names): Json[] {
  const counts = new Map<string, number>();
  for (const event of events as readonly EventFacts[]) {
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
