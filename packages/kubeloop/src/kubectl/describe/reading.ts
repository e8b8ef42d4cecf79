// What a description needs besides its object: others by name and in lists, and the events about it. The requests are kubectl's. Fields
// that are null are absent.
import type { corev1, KubernetesObject, Resource } from "@kubeloop/core/api";
import { fieldSelectorFrom, printFieldSelector, StatusError, withoutAbsent } from "@kubeloop/core/api";
import { isAborted } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { events as eventResource } from "@kubeloop/core/resources";
import type { AnyObject } from "../object-printer.ts";
import { objectsAt } from "../requests.ts";

export interface ListWishes {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Which object events are about; what is not given is not looked at. */
export interface EventSubject {
  readonly name: string;
  readonly namespace: string;
  readonly kind?: string;
  readonly uid?: string | undefined;
}

export interface ReadingOptions {
  readonly showEvents: boolean;
  /** How many objects a list asks for at a time; 0 is all at once. */
  readonly chunkSize: number;
}

export class Reading {
  readonly #client: Client;
  readonly #options: ReadingOptions;
  readonly #signal: AbortSignal;

  constructor(client: Client, options: ReadingOptions, signal: AbortSignal) {
    this.#client = client;
    this.#options = options;
    this.#signal = signal;
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    name: string,
    namespace: string | undefined,
  ): Promise<T> {
    const object = await objectsAt(this.#client, { resource: resource as Resource, namespace }).get(name, this.#signal);
    return withoutAbsent(object) as unknown as T;
  }

  async list<T extends KubernetesObject>(resource: Resource<T>, wishes: ListWishes = {}): Promise<readonly T[]> {
    const { namespace, ...selectors } = wishes;
    const place = { resource: resource as Resource, namespace };
    const pageSize = this.#options.chunkSize;
    const { items } = await objectsAt(this.#client, place)
      .list({ ...selectors, pageSize }, this.#signal)
      .toArray();
    return withoutAbsent(items) as unknown as readonly T[];
  }

  /** Undefined if they are not to be shown; none if the server does not give them. */
  async events(subject: EventSubject): Promise<readonly corev1.Event[] | undefined> {
    return await this.orElse([], async () => await this.eventsOrFail(subject));
  }

  async eventsOrFail({ name, namespace, kind, uid }: EventSubject): Promise<readonly corev1.Event[] | undefined> {
    if (!this.#options.showEvents) return undefined;
    const selector = fieldSelectorFrom({
      "involvedObject.name": name,
      "involvedObject.namespace": namespace,
      ...(kind === undefined ? {} : { "involvedObject.kind": kind }),
      ...(uid === undefined || uid === "" ? {} : { "involvedObject.uid": uid }),
    });
    const fieldSelector = printFieldSelector(selector);
    return await this.list(eventResource, { namespace: namespace === "" ? undefined : namespace, fieldSelector });
  }

  async eventsOf(object: KubernetesObject | AnyObject): Promise<readonly corev1.Event[] | undefined> {
    return await this.events(subjectOf(object));
  }

  /** What is refused or not there is left out of a description. */
  async orElse<T, E>(otherwise: E | ((error: StatusError) => E), read: () => Promise<T>): Promise<T | E> {
    try {
      return await read();
    } catch (error) {
      if (isAborted(error, this.#signal) || !(error instanceof StatusError)) throw error;
      return typeof otherwise === "function" ? (otherwise as (error: StatusError) => E)(error) : otherwise;
    }
  }
}

export function subjectOf({ kind, metadata }: KubernetesObject | AnyObject): EventSubject {
  const { name = "", namespace = "", uid } = metadata;
  return { name, namespace, kind: kind as string, uid };
}
