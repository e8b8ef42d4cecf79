// Makes handlers: from functions with client-go's names, and from another handler and a filter. A handler made here is
// synchronous if the functions it calls are, and otherwise returns their promise.
import { type Deleted, lastStateOf } from "../tombstone.ts";
import type { EventDetails, ResourceEventHandler } from "./handlers.ts";

export interface ResourceEventHandlerFuncs<T> {
  readonly addFunc?: ((object: T, details: EventDetails) => void | Promise<void>) | undefined;
  readonly updateFunc?: ((before: T, after: T, details: EventDetails) => void | Promise<void>) | undefined;
  readonly deleteFunc?: ((gone: Deleted<T>, details: EventDetails) => void | Promise<void>) | undefined;
}

/** For readers of client-go. The functions keep their names in logs. */
export function resourceEventHandlerFuncs<T>(funcs: ResourceEventHandlerFuncs<T>): ResourceEventHandler<T> {
  const { addFunc, updateFunc, deleteFunc } = funcs;
  return {
    ...(addFunc === undefined ? {} : { onAdd: addFunc }),
    ...(updateFunc === undefined ? {} : { onUpdate: updateFunc }),
    ...(deleteFunc === undefined ? {} : { onDelete: deleteFunc }),
  };
}

export interface FilteringHandlerOptions<T> {
  /** Must depend only on the object: it is evaluated again for the old object of an update, not remembered. */
  readonly filter: (object: T) => boolean;
  readonly handler: ResourceEventHandler<T>;
}

/**
 * Passes on the events of objects that match the filter. An update after which the object no longer matches becomes a delete, and one after
 * which it begins to match an add, so for the handler other objects do not exist. A tombstone without a last state is always passed on,
 * because a superfluous delete does less harm than a missing one.
 */
export class FilteringResourceEventHandler<T> implements ResourceEventHandler<T> {
  readonly #filter: (object: T) => boolean;
  readonly #handler: ResourceEventHandler<T>;

  constructor(options: FilteringHandlerOptions<T>) {
    this.#filter = options.filter;
    this.#handler = options.handler;
  }

  onAdd(object: T, details: EventDetails): void | Promise<void> {
    if (this.#filter(object)) return this.#handler.onAdd?.(object, details);
  }

  onUpdate(before: T, after: T, details: EventDetails): void | Promise<void> {
    const wasSeen = this.#filter(before);
    const isSeen = this.#filter(after);
    if (wasSeen && isSeen) return this.#handler.onUpdate?.(before, after, details);
    if (isSeen) return this.#handler.onAdd?.(after, details);
    if (wasSeen) return this.#handler.onDelete?.(before, details);
  }

  onDelete(gone: Deleted<T>, details: EventDetails): void | Promise<void> {
    const last = lastStateOf(gone);
    if (last === undefined || this.#filter(last)) return this.#handler.onDelete?.(gone, details);
  }
}

export function filteringHandler<T>(options: FilteringHandlerOptions<T>): ResourceEventHandler<T> {
  return new FilteringResourceEventHandler(options);
}
