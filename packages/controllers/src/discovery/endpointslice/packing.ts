// Which endpoint goes into which slice. All endpoints here have the same ports and the same type of address.
//
// Endpoints stay in the slices they are in, because each slice that changes is sent to every node. So slices are filled in this order: those
// that change anyway, the fullest first; then one that does not change, if it can take all that is left, the one that is fullest afterwards;
// then new ones. Slices are never merged just because they have become small: endpoints move only when something is added.
import { endpointKey, hasSameContent } from "../../domain/endpoint-slices.ts";
import type { DraftSlice, Endpoint, EndpointSlice } from "./draft-slices.ts";

export interface PackingOptions {
  /** How many endpoints a slice holds at most. */
  readonly most: number;
  readonly ports: DraftSlice["ports"];
  /** Whether a slice must be written for another reason than its endpoints: its labels are not the Service's. */
  readonly isOutdated: (slice: EndpointSlice) => boolean;
}

export interface Packed {
  readonly drafts: readonly DraftSlice[];
  /** Slices without a wanted endpoint. */
  readonly remove: readonly EndpointSlice[];
  readonly added: number;
  readonly removed: number;
}

/** `wanted` is by `endpointKey`. */
export function packEndpoints(
  existing: readonly EndpointSlice[],
  wanted: ReadonlyMap<string, Endpoint>,
  options: PackingOptions,
): Packed {
  const { most, ports, isOutdated } = options;
  const missing = new Map(wanted);
  const kept = existing.map((slice) => keepWanted(slice, missing));
  const remove = kept.filter(isEmptied).map(({ slice }) => slice);
  const open = kept
    .filter((each) => !isEmptied(each))
    .map(({ slice, endpoints, isSame }) => ({
      before: slice,
      ports: slice.ports ?? [],
      endpoints,
      isChanged: !isSame || isOutdated(slice),
    }));
  const left = [...missing].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, endpoint]) => endpoint);
  const added = left.length;

  for (const draft of open.filter(({ isChanged }) => isChanged).toSorted(fullestFirst)) fill(draft, left, most);
  const created: DraftSlice[] = [];
  while (left.length > 0) {
    const fitting = left.length < most ? bestFit(open, left.length, most) : undefined;
    if (fitting === undefined) {
      created.push({ before: undefined, ports, endpoints: left.splice(0, most), isChanged: true });
    } else {
      fitting.isChanged = true;
      fill(fitting, left, most);
    }
  }
  return { drafts: [...open, ...created], remove, added, removed: kept.reduce((sum, { gone }) => sum + gone, 0) };
}

interface Open {
  readonly before: EndpointSlice;
  readonly ports: DraftSlice["ports"];
  readonly endpoints: Endpoint[];
  isChanged: boolean;
}

interface Kept {
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
  /** Nothing is gone, and the same is said of each that stays. */
  readonly isSame: boolean;
  readonly gone: number;
}

/** Endpoints that are found are taken out of `missing`: a second copy of one, in another slice, is not wanted. */
function keepWanted(slice: EndpointSlice, missing: Map<string, Endpoint>): Kept {
  const endpoints: Endpoint[] = [];
  let isSame = true;
  const stored = slice.endpoints ?? [];
  for (const endpoint of stored) {
    const key = endpointKey(endpoint);
    const wanted = missing.get(key);
    if (wanted === undefined) continue;
    missing.delete(key);
    endpoints.push(wanted);
    if (!hasSameContent(wanted, endpoint)) isSame = false;
  }
  const gone = stored.length - endpoints.length;
  // As they are stored, hints included, if nothing changes.
  if (isSame && gone === 0) return { slice, endpoints: [...stored], isSame: true, gone };
  return { slice, endpoints, isSame: false, gone };
}

/** A slice that is empty already is kept: it is filled, or stays as it is. */
const isEmptied = ({ endpoints, gone }: Kept) => gone > 0 && endpoints.length === 0;

const fullestFirst = (one: Open, other: Open) => other.endpoints.length - one.endpoints.length;

function fill({ endpoints }: Open, left: Endpoint[], most: number): void {
  endpoints.push(...left.splice(0, Math.max(0, most - endpoints.length)));
}

/** Of those that do not change, the one that is fullest when all is put into it. */
function bestFit(open: readonly Open[], count: number, most: number): Open | undefined {
  let best: Open | undefined;
  for (const each of open) {
    if (each.isChanged || each.endpoints.length + count > most) continue;
    if (best === undefined || each.endpoints.length > best.endpoints.length) best = each;
  }
  return best;
}
