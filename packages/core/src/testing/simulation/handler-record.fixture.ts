// A handler that checks each event when it receives it, against what really happened on the server:
//
// - Every object is a state that the object had on the server, and the versions of an object only increase.
// - The old object of an update is the one that this handler received last.
// - Adds are only for objects that the handler does not know, deletes only for objects that it knows.
// - A deletion really happened.
// - Calls never overlap, and there are none after the handler was removed.
// - When the handler is called, the cache already has the object.
import { type corev1, keyOf } from "../../api/index.ts";
import { deepEqual } from "../../base/index.ts";
import type { EventDetails, ResourceEventHandler } from "../../informer/handler/handlers.ts";
import type { ReadonlyStore } from "../../informer/store/store.ts";
import { type Deleted, deletionHandlingKeyOf, isFinalStateUnknown } from "../../informer/tombstone.ts";
import { type Truth, versionOf } from "./truth.fixture.ts";

type Pod = corev1.Pod;

export interface HandlerRecordOptions {
  readonly name: string;
  readonly truth: Truth;
  readonly store: ReadonlyStore<Pod>;
  /** Whether it may receive an update to the version that it knows already. */
  readonly hasResync: boolean;
  /** Whether states may be left out, so that a deletion may have a newer state than the one received last. */
  readonly isCoalesced: boolean;
  readonly onViolation: (what: string) => void;
  /** Called with each event as text, before the handler acts. */
  readonly onTold: (what: string) => void;
  /** What the handler does after it has received an event. It may throw. */
  readonly act: () => void | Promise<void>;
}

export class HandlerRecord implements ResourceEventHandler<Pod> {
  readonly known = new Map<string, Pod>();
  readonly everTold = new Set<string>();
  calls = 0;
  readonly #options: HandlerRecordOptions;
  readonly #newest = new Map<string, number>();
  #isCalled = false;
  #isRemoved = false;
  #hasSynced = false;

  constructor(options: HandlerRecordOptions) {
    this.#options = options;
  }

  onAdd(object: Pod, details: EventDetails): void | Promise<void> {
    const key = keyOf(object);
    this.#options.onTold(`add ${print(object)}`);
    this.#check(!this.known.has(key), `add of ${key}, which it knows`);
    this.#take(key, object);
    return this.#act(details);
  }

  onUpdate(before: Pod, after: Pod, details: EventDetails): void | Promise<void> {
    const key = keyOf(after);
    this.#options.onTold(`update ${print(after)}`);
    const known = this.known.get(key);
    this.#check(known !== undefined, `update of ${key}, which it does not know`);
    this.#check(isSame(known, before), `update of ${key} from ${print(before)}, but it was told ${print(known)}`);
    if (versionOf(before) === versionOf(after)) {
      this.#check(this.#options.hasResync, `update of ${key} to the version it has, without resync (${details.cause})`);
    } else {
      this.#check(details.cause !== "resync", `resync of ${key} brings version ${versionOf(after)}`);
    }
    this.#take(key, after);
    return this.#act(details);
  }

  onDelete(gone: Deleted<Pod>, details: EventDetails): void | Promise<void> {
    const key = deletionHandlingKeyOf(gone);
    this.#options.onTold(`delete ${key}`);
    const known = this.known.get(key);
    if (known === undefined) this.#fail(`delete of ${key}, which it does not know`);
    else if (isFinalStateUnknown(gone)) this.#checkTombstone(key, known, gone.object);
    else this.#checkDeletion(key, known, gone);
    this.known.delete(key);
    const cached = this.#options.store.getByKey(key);
    const isGone = cached === undefined || versionOf(cached) > (this.#newest.get(key) ?? 0);
    this.#check(isGone, `delete of ${key}, but the cache has ${print(cached)}`);
    return this.#act(details);
  }

  removed(): void {
    this.#isRemoved = true;
  }

  /** Called when the handler counts as synced: it must have received everything that existed when it was added. */
  synced(atJoining: readonly Pod[]): void {
    this.#hasSynced = true;
    for (const object of atJoining) {
      const key = keyOf(object);
      const isTold = this.everTold.has(key) || this.#options.truth.wasGoneAfter(key, versionOf(object));
      this.#check(isTold, `synced without having been told of ${key}`);
    }
  }

  #checkDeletion(key: string, known: Pod, gone: Pod): void {
    this.#noteFault(this.#options.truth.faultOf(key, gone, "gone"));
    this.#check(versionOf(gone) > versionOf(known), `delete of ${print(gone)}, older than ${print(known)}`);
    this.#newest.set(key, versionOf(gone));
  }

  #checkTombstone(key: string, known: Pod, last: Pod | undefined): void {
    this.#check(this.#options.truth.wasGoneAfter(key, versionOf(known)), `tombstone of ${key}, which was not deleted`);
    if (last === undefined) return;
    this.#noteFault(this.#options.truth.faultOf(key, last, "there"));
    const isLast = this.#options.isCoalesced
      ? versionOf(last) >= versionOf(known)
      : versionOf(last) === versionOf(known);
    this.#check(isLast, `tombstone of ${print(last)}, but it was told ${print(known)}`);
    this.#newest.set(key, versionOf(last));
  }

  #take(key: string, object: Pod): void {
    const { truth, store } = this.#options;
    const version = versionOf(object);
    const newest = this.#newest.get(key) ?? 0;
    this.#noteFault(truth.faultOf(key, object, "there"));
    this.#check(version >= newest, `${key} goes back from ${newest} to ${version}`);
    this.#newest.set(key, version);
    this.known.set(key, object);
    this.everTold.add(key);
    const cached = store.getByKey(key);
    const isCached = cached === undefined ? truth.wasGoneAfter(key, version) : versionOf(cached) >= version;
    this.#check(isCached, `told ${print(object)}, but the cache has ${print(cached)}`);
  }

  #act({ isInInitialList }: EventDetails): void | Promise<void> {
    this.calls++;
    this.#check(!this.#isCalled, "called while it is being called");
    this.#check(!this.#isRemoved, "called after it was removed");
    this.#check(!isInInitialList || !this.#hasSynced, "told of the initial list after it had synced");
    const work = this.#options.act();
    if (work === undefined) return;
    this.#isCalled = true;
    return work.finally(() => {
      this.#isCalled = false;
    });
  }

  #noteFault(fault: string | undefined): void {
    if (fault !== undefined) this.#fail(fault);
  }

  #check(holds: boolean, otherwise: string): void {
    if (!holds) this.#fail(otherwise);
  }

  #fail(what: string): void {
    this.#options.onViolation(`handler ${this.#options.name}: ${what}`);
  }
}

/** A deep-equal copy counts as the same state, because a relist replaces the cached object by a copy without calling handlers. */
function isSame(told: Pod | undefined, before: Pod): boolean {
  return told !== undefined && (told === before || deepEqual(told, before));
}

function print(object: Pod | undefined): string {
  return object === undefined ? "nothing" : `${keyOf(object)}@${object.metadata.resourceVersion}`;
}
