// A namespace of ConfigMaps as a list of everything that happened to it, told by those who wrote: what every watcher must see can be worked
// out from it. Writers, readers and the model share one server in virtual time.
import type { KubernetesObject } from "@kubeloop/core/api";

/** One write that changed something. */
export interface Happening {
  readonly revision: number;
  readonly name: string;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

export interface Seen {
  readonly type: string;
  readonly name: string;
  readonly revision: number;
  /** Its labels, printed: enough to tell a version from another. */
  readonly labels: string;
}

export type Matches = (object: KubernetesObject) => boolean;

export const everything: Matches = () => true;
export const isRed: Matches = ({ metadata }) => metadata.labels?.["colour"] === "red";

const printLabels = ({ metadata }: KubernetesObject) =>
  Object.entries(metadata.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",");

export function seenOf(type: string, object: KubernetesObject, revision?: number): Seen {
  const { name = "", resourceVersion } = object.metadata;
  return { type, name, revision: revision ?? Number(resourceVersion), labels: printLabels(object) };
}

/** What a watch after `from` sees of it. */
export function expectedEvents(history: readonly Happening[], from: number, matches: Matches): Seen[] {
  return history.flatMap(({ revision, before, after }) => {
    if (revision <= from) return [];
    const isIn = after !== undefined && matches(after);
    const wasIn = before !== undefined && matches(before);
    if (isIn) return [seenOf(wasIn ? "MODIFIED" : "ADDED", after)];
    return wasIn ? [seenOf("DELETED", before, revision)] : [];
  });
}

/** What there was at a revision, in the order of names. */
export function stateAt(history: readonly Happening[], revision: number): KubernetesObject[] {
  const state = new Map<string, KubernetesObject>();
  for (const happening of history) {
    if (happening.revision > revision) break;
    if (happening.after === undefined) state.delete(happening.name);
    else state.set(happening.name, happening.after);
  }
  return [...state].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}
