// Which changes of slices somebody else has made. A controller that looked again after each write of its own would do everything twice, and say
// everything twice.
//
//   reserve: (model, { key }) => model.echoes.begin(key)
//   learn: (model, { key }, { outcome }) => model.echoes.end(key, outcome)       // the keys to look at again
//   absorb: (model, change) => model.echoes.absorb(change)                       // the keys to look at again
//
// A slice is known by its uid and generation, as the server answered with them. While a plan is carried out its answers are not known yet: changes
// wait until they are. A write whose answer was lost explains nothing, so the key is looked at once too often. Annotations do not change the
// generation: who changes only those is not noticed, as with upstream.
import type { discoveryv1 } from "@kubeloop/core/api";
import type { Change, Outcome } from "@kubeloop/core/contract";
import { endpointSlices } from "@kubeloop/core/resources";
import { managedByLabel, serviceKeyOf } from "./endpoint-slices.ts";

type EndpointSlice = discoveryv1.EndpointSlice;

interface Sighting {
  readonly uid: string;
  /** Undefined for a slice that is gone. */
  readonly generation: number | undefined;
}

interface Known {
  /** By uid; of a slice that this controller has deleted, undefined. */
  readonly generations: Map<string, number | undefined>;
  /** What was seen while a plan is carried out; undefined at other times. */
  pending: Sighting[] | undefined;
}

export class SliceEchoes {
  readonly #manager: string;
  readonly #byKey = new Map<string, Known>();

  constructor(manager: string) {
    this.#manager = manager;
  }

  begin(key: string): void {
    this.#of(key).pending ??= [];
  }

  /** Whether something was seen meanwhile that the plan did not do. */
  end(key: string, outcome: Outcome): boolean {
    const known = this.#of(key);
    for (const { action, result } of outcome.all) {
      if (action.type === "delete") {
        const uid = action.options.preconditions?.uid;
        const isGone = result.status === "done" || result.status === "tolerated";
        if (uid !== undefined && isGone) known.generations.set(uid, undefined);
      } else if (result.status === "done") {
        const { metadata } = (result.value ?? {}) as Partial<EndpointSlice>;
        if (metadata?.uid !== undefined) known.generations.set(metadata.uid, metadata.generation ?? 0);
      }
    }
    const pending = known.pending ?? [];
    known.pending = undefined;
    return pending.map((sighting) => isExplained(known, sighting)).includes(false);
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** The keys of Services whose slices somebody else has changed. */
  absorb(change: Change): readonly string[] {
    if (change.resource.plural !== endpointSlices.plural) return [];
    const object = change.object as EndpointSlice;
    const key = this.#keyOf(object);
    const before = change.type === "update" ? this.#keyOf(change.before as EndpointSlice) : key;
    // It came from another manager or Service, or went there.
    if (before !== key) return [before, key].filter((each) => each !== undefined);
    if (key === undefined) return [];
    const known = this.#of(key);
    const { uid = "", generation = 0 } = object.metadata;
    const sighting = { uid, generation: change.type === "delete" ? undefined : generation };
    if (known.pending !== undefined) {
      known.pending.push(sighting);
      return [];
    }
    return isExplained(known, sighting) ? [] : [key];
  }

  #keyOf(slice: EndpointSlice): string | undefined {
    return slice.metadata.labels?.[managedByLabel] === this.#manager ? serviceKeyOf(slice) : undefined;
  }

  #of(key: string): Known {
    const known = this.#byKey.get(key) ?? { generations: new Map(), pending: undefined };
    this.#byKey.set(key, known);
    return known;
  }
}

function isExplained({ generations }: Known, { uid, generation }: Sighting): boolean {
  const isKnown = generations.has(uid);
  const known = generations.get(uid);
  if (generation !== undefined) return known !== undefined && generation <= known;
  generations.delete(uid);
  return isKnown && known === undefined;
}
