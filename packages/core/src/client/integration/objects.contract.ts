// The objects that the suite's cases are about, and small ways to read and wait.
import { expect } from "vitest";
import { customResourceDefinitions } from "../../api/generated/resources.ts";
import {
  type apiextensionsv1,
  type appsv1,
  type corev1,
  defineResource,
  isConditionTrue,
  isTooManyRequests,
  type KubernetesObject,
  type Resource,
  retryAfterMs,
  StatusError,
} from "../../api/index.ts";
import { systemClock } from "../../base/index.ts";
import type { Client } from "../client.ts";
import type { WatchEvent } from "../streams/watch-event.ts";

export const configMap = (name: string, data: Record<string, string> = {}, labels?: Record<string, string>) =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    data,
  }) as const satisfies corev1.ConfigMap;

export const pod = (name: string, labels: Record<string, string> = {}) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels },
    spec: { containers: [{ name: "main", image: "example.invalid/main" }] },
  }) as const satisfies corev1.Pod;

export const deployment = (name: string, replicas = 1) =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "example.invalid/main" }] },
      },
    },
  }) as const satisfies appsv1.Deployment;

export interface Widget extends KubernetesObject {
  readonly spec?: { readonly size?: number; readonly color?: string; readonly weight?: number };
  readonly status?: { readonly ready?: number };
}

const group = "client.kubeloop.dev";

/** A custom kind with a status of its own, and its definition. */
export function widgetKind(plural: string, kind: string) {
  const resource = defineResource<Widget>({ group, version: "v1", kind, plural, subresources: ["status", "scale"] });
  const integer = { type: "integer", format: "int64" } as const;
  const definition: apiextensionsv1.CustomResourceDefinition & { metadata: { name: string } } = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { size: integer, weight: integer, color: { type: "string" } } },
                status: { type: "object", properties: { ready: integer } },
              },
            },
          },
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" },
          },
        },
      ],
    },
  };
  return { resource, definition };
}

export const widget = (name: string, spec: Widget["spec"] = { size: 1 }): Widget => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});

const widgets = widgetKind("widgets", "Widget");

/** The kind most cases use: there already, or made now. */
export async function haveWidgets(client: Client, signal: AbortSignal): Promise<Resource<Widget>> {
  const definitions = client.resource(customResourceDefinitions);
  await definitions.apply(widgets.definition, { fieldManager: "client-suite" }, signal);
  await untilServed(client, widgets, signal);
  return widgets.resource;
}

/** Follows a definition until the server has accepted it, then waits as long as the server asks to. */
export async function untilServed(
  client: Client,
  { resource, definition }: ReturnType<typeof widgetKind>,
  signal: AbortSignal,
): Promise<void> {
  const definitions = client.resource(customResourceDefinitions);
  const fieldSelector = `metadata.name=${definition.metadata.name}`;
  await untilEvent(definitions.watch({ fieldSelector, resourceVersion: "0" }, signal), ({ type, object }) => {
    return type !== "DELETED" && isConditionTrue(object.status?.conditions, "Established");
  });
  for (;;) {
    try {
      await client.resource(resource).list(signal).toArray();
      return;
    } catch (error) {
      if (!isTooManyRequests(error)) throw error;
      await systemClock.sleep(retryAfterMs(error) ?? 0, signal);
    }
  }
}

type Told<T extends KubernetesObject> = Extract<WatchEvent<T>, { type: "ADDED" | "MODIFIED" | "DELETED" }>;

/** The first event about an object that is meant. The watch is closed then. */
export async function untilEvent<T extends KubernetesObject>(
  watch: AsyncIterable<WatchEvent<T>>,
  isMeant: (event: Told<T>) => boolean,
): Promise<Told<T>> {
  for await (const event of watch) {
    if (event.type === "ERROR") throw new StatusError(event.object);
    if (event.type !== "BOOKMARK" && isMeant(event)) return event;
  }
  throw new Error("the watch ended before what was waited for");
}

export async function take<T>(count: number, items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) if (taken.push(item) === count) return taken;
  return taken;
}

export function names(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name ?? "").sort();
}

/** As "ADDED a". */
export function tellings(events: readonly WatchEvent[]): readonly string[] {
  return events.map((event) =>
    event.type === "ERROR" ? "ERROR" : `${event.type} ${event.object.metadata.name ?? ""}`,
  );
}

/** What a call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(StatusError);
  return error as StatusError;
}

/** Everything that was refused is one of these facts of an answer. */
export function saying(error: StatusError): {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
} {
  return { code: error.code, reason: error.reason, message: error.message };
}
