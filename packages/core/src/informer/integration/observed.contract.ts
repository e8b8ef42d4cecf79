// What the suite's cases see of an informer, and how they wait for it: each wait looks once, and again whenever something is
// told. Nobody sleeps.
import { expect } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import type { corev1, KubernetesObject } from "../../api/index.ts";
import { type BackoffPolicy, childSignal, deferred, Listeners, noLog, untilAborted } from "../../base/index.ts";
import type { Client } from "../../client/client.ts";
import type { Stage } from "../../client/integration/client-suite.contract.ts";
import type { EventDetails, Notification, ResourceEventHandler } from "../handler/handlers.ts";
import type { InformerStatus } from "../liveness.ts";
import { type ListWatchOptions, newListWatchFromClient } from "../reflector/list-watch.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { SharedIndexInformerOptions } from "../shared/shared-index-informer-options.ts";
import { type Deleted, isFinalStateUnknown, lastStateOf } from "../tombstone.ts";
import type { Syncing } from "../wait/syncing.ts";

/** For cases that are not about pacing. */
export const quickBackoff: BackoffPolicy = { initialMs: 20, factor: 2, maxMs: 500, jitter: 1 };

/** An informer of the ConfigMaps of the case's own namespace, or of those that are asked for. */
export function mapInformer(
  { client, namespace }: { readonly client: Client; readonly namespace: string },
  options: SharedIndexInformerOptions<corev1.ConfigMap> & { readonly scope?: ListWatchOptions } = {},
): SharedIndexInformer<corev1.ConfigMap> {
  const { scope = { namespace }, ...rest } = options;
  const source = newListWatchFromClient(client, configMaps, scope);
  return new SharedIndexInformer(source, { freeze: true, backoff: quickBackoff, log: noLog, ...rest });
}

interface Running {
  run(signal: AbortSignal): Promise<void>;
}

/** Runs it until disposed of, and then waits for its end. */
export function running(informer: Running, signal: AbortSignal): AsyncDisposable {
  const stopping = childSignal(signal);
  const ended = informer.run(stopping.signal);
  // Whoever disposes gets to hear of it.
  ended.catch(() => {});
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}

/** Looks now and whenever something is told, until it is so. */
export async function untilSo(
  isSo: () => boolean,
  subscribe: (look: () => void) => Disposable,
  signal: AbortSignal,
): Promise<void> {
  if (isSo()) return;
  const reached = deferred();
  using _look = subscribe(() => {
    if (isSo()) reached.resolve();
  });
  await untilAborted(reached.promise, signal);
}

/** Whatever kind of objects it holds. */
export type AnyInformer = Syncing & Pick<SharedIndexInformer<KubernetesObject>, "status" | "onStatusChange">;

/** The first status that is meant. */
export async function untilStatus(
  informer: AnyInformer,
  isMeant: (status: InformerStatus) => boolean,
  signal: AbortSignal,
): Promise<InformerStatus> {
  let met: InformerStatus | undefined;
  const look = () => {
    const { status } = informer;
    if (met === undefined && isMeant(status)) met = status;
    return met !== undefined;
  };
  await untilSo(look, (again) => informer.onStatusChange(again), signal);
  return met ?? informer.status;
}

/** A handler that remembers. */
export class Told<T extends KubernetesObject = corev1.ConfigMap> implements ResourceEventHandler<T> {
  readonly events: Notification<T>[] = [];
  readonly #listeners = new Listeners<void>((error) => {
    throw error;
  });

  onAdd(object: T, details: EventDetails): void {
    this.#take({ type: "add", object, details });
  }

  onUpdate(before: T, after: T, details: EventDetails): void {
    this.#take({ type: "update", before, after, details });
  }

  onDelete(gone: Deleted<T>, details: EventDetails): void {
    this.#take({ type: "delete", gone, details });
  }

  /** As "add a", and "delete a, unseen" where only a list told. */
  get lines(): readonly string[] {
    return this.events.map(toLine);
  }

  /** The same, without the order in which a list comes. */
  get sorted(): readonly string[] {
    return [...this.lines].sort();
  }

  async until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    await untilSo(isSo, (look) => this.#listeners.subscribe(look), signal);
  }

  /** Waits for as many events as that, in all. */
  async count(events: number, signal: AbortSignal): Promise<readonly string[]> {
    await this.until(() => this.events.length >= events, signal);
    return this.lines;
  }

  /** Waits for one event, wherever. */
  async line(line: string, signal: AbortSignal): Promise<void> {
    await this.until(() => this.lines.includes(line), signal);
  }

  #take(event: Notification<T>): void {
    this.events.push(event);
    this.#listeners.emit();
  }
}

function toLine<T extends KubernetesObject>(event: Notification<T>): string {
  switch (event.type) {
    case "add":
      return `add ${event.object.metadata.name}`;
    case "update":
      return `update ${event.after.metadata.name}`;
    case "delete":
      return `delete ${nameOf(event.gone)}${isFinalStateUnknown(event.gone) ? ", unseen" : ""}`;
  }
}

const nameOf = <T extends KubernetesObject>(gone: Deleted<T>) => lastStateOf(gone)?.metadata.name ?? "";

const byName = (a: KubernetesObject, b: KubernetesObject) =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

/** The cache holds what a plain list of the case's namespace does, to the last field. */
export async function expectEqualToServer(
  informer: SharedIndexInformer<corev1.ConfigMap>,
  { client, namespace, signal }: Stage,
): Promise<void> {
  const { items } = await client.resource(configMaps).in(namespace).list(signal).toArray();
  expect([...informer.getStore().list()].sort(byName)).toEqual([...items].sort(byName));
}
