// One collection: what it holds now, the events that led here, and what it held between them. It knows the past from `oldest` on:
// the state of that revision, and all events after it.
import type { KubernetesObject } from "@kubeloop/core/api";
import { EventWindow } from "./event-window.ts";
import { type ObjectTree, PastStates, put } from "./past-states.ts";
import { selectRange } from "./select-range.ts";
import type { Range, RangeResult, StorageEvent } from "./storage.ts";

export interface CollectionStart {
  readonly tree: ObjectTree;
  /** The number of its next event. */
  readonly position: number;
  /** Nothing from before this is known. */
  readonly revision: number;
}

export class Collection {
  readonly tree: ObjectTree;
  readonly events: EventWindow;
  readonly #past: PastStates;
  #oldest: number;

  constructor(start: CollectionStart) {
    this.tree = start.tree;
    this.events = new EventWindow(start.position);
    this.#past = new PastStates(this.events, this.tree);
    this.#oldest = start.revision;
  }

  /** The revision of the oldest state that is known. */
  get oldest(): number {
    return this.#oldest;
  }

  get(key: string): KubernetesObject | undefined {
    return this.tree.get(key);
  }

  append(event: StorageEvent): void {
    put(this.tree, event.key, event.after);
    this.events.push(event);
    this.#past.noteEvent();
  }

  forgetFirstEvent(): void {
    const forgotten = this.events.forgetFirst();
    if (forgotten === undefined) return;
    this.#oldest = Math.max(this.#oldest, forgotten.revision);
    this.#past.noteForgotten();
  }

  /** As things were at this revision, which is not older than `oldest`. */
  list(range: Range, revision: number): RangeResult {
    const position = this.events.positionAfter(revision);
    const selected = selectRange(this.#past.at(position), range);
    // The next page will ask for this state, which is the present only until the next write.
    if (selected.remaining > 0 && position === this.events.next) this.#past.rememberPresent();
    return { revision, ...selected };
  }
}
