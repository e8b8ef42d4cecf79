// What a collection held before: after each of its known events. A state is reached from the nearest one at hand by doing events
// again or undoing them. At hand are the present, one checkpoint per `checkpointEvery` events, and the few asked for last: so
// the first reading of a state replays at most half the way between two of them, and the next pages of a list replay nothing.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { EventWindow } from "./event-window.ts";
import type { PersistentTree } from "./persistent-tree.ts";
import type { StorageEvent } from "./storage.ts";

export type ObjectTree = PersistentTree<KubernetesObject>;

/** Replaying one event takes 1 to 3 µs, so no state takes more than a few ms; each checkpoint keeps what was changed after it, up to 1 MB
 * of nodes with 50,000 objects, and the default window has room for ten. */
const checkpointEvery = 2048;
/** More clients than that may page through states of their own; each page then replays. */
const mostRemembered = 8;

interface KnownState {
  /** All events with smaller numbers have happened in it. */
  readonly position: number;
  readonly tree: ObjectTree;
}

export class PastStates {
  readonly #events: EventWindow;
  readonly #present: ObjectTree;
  /** Oldest first. */
  #checkpoints: KnownState[] = [];
  /** By position, least recently asked for first. */
  readonly #remembered = new Map<number, ObjectTree>();

  /** Both go on changing: each event is pushed once its change is in `present`, and `noteEvent` called. */
  constructor(events: EventWindow, present: ObjectTree) {
    this.#events = events;
    this.#present = present;
  }

  /** Not to be changed, and only to be read at once: the present is handed out as it is. For positions of the window. */
  at(position: number): ObjectTree {
    if (position === this.#events.next) return this.#present;
    const tree = this.#remembered.get(position) ?? this.#replayed(position);
    this.#remember(position, tree);
    return tree;
  }

  /** Somebody will come back for the present state when it is past. */
  rememberPresent(): void {
    const position = this.#events.next;
    this.#remember(position, this.#remembered.get(position) ?? this.#present.clone());
  }

  noteEvent(): void {
    const position = this.#events.next;
    if (position % checkpointEvery === 0) this.#checkpoints.push({ position, tree: this.#present.clone() });
  }

  /** Lets go of states from before the window. */
  noteForgotten(): void {
    const { first } = this.#events;
    while ((this.#checkpoints[0]?.position ?? first) < first) this.#checkpoints.shift();
    for (const position of this.#remembered.keys()) if (position < first) this.#remembered.delete(position);
  }

  #remember(position: number, tree: ObjectTree): void {
    this.#remembered.delete(position);
    this.#remembered.set(position, tree);
    if (this.#remembered.size <= mostRemembered) return;
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }

  #replayed(position: number): ObjectTree {
    const start = this.#nearest(position);
    const tree = start.tree.clone();
    for (let at = start.position; at < position; at++) {
      const { key, after } = this.#events.at(at) as StorageEvent;
      put(tree, key, after);
    }
    for (let at = start.position - 1; at >= position; at--) {
      const { key, before } = this.#events.at(at) as StorageEvent;
      put(tree, key, before);
    }
    return tree;
  }

  #nearest(position: number): KnownState {
    let nearest: KnownState = { position: this.#events.next, tree: this.#present };
    const consider = (state: KnownState) => {
      if (Math.abs(state.position - position) < Math.abs(nearest.position - position)) nearest = state;
    };
    for (const checkpoint of this.#checkpoints) consider(checkpoint);
    for (const [at, tree] of this.#remembered) consider({ position: at, tree });
    return nearest;
  }
}

/** Undefined deletes. */
export function put(tree: ObjectTree, key: string, object: KubernetesObject | undefined): void {
  if (object === undefined) tree.delete(key);
  else tree.set(key, object);
}
