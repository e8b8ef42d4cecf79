// What a list, a deletion of a collection and a read at a version look at: a range of one state of the storage, filtered. Which state is the
// resourceVersion's business; pages after the first are read at the first one's.
import {
  type KubernetesObject,
  type metav1,
  newBadRequest,
  newStatusError,
  newTooLargeResourceVersion,
  quote,
  StatusError,
} from "@kubeloop/core/api";
import { RequestYieldBudget } from "../../storage/request-yield-budget.ts";
import { ExpiredRevision, type RangeResult } from "../../storage/storage.ts";
import { waitUntilFresh } from "../../storage/wait-until-fresh.ts";
import { type PagePosition, parseContinueToken, printContinueToken } from "../options/continue-token.ts";
import { type ListOptions, unsignedFault } from "../options/request-options.ts";
import type { RequestScope } from "./request-scope.ts";
import { type Selection, selectionOf } from "./selection.ts";

export interface Selected {
  readonly metadata: metav1.ListMeta;
  readonly objects: readonly KubernetesObject[];
}

export async function selectObjects(scope: RequestScope, options: ListOptions): Promise<Selected> {
  const selection = selectionOf(scope, options);
  const { continueToken, resourceVersion, limit } = options;
  if (continueToken !== "") {
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw newBadRequest("specifying resource version is not allowed when using continue");
    }
    const position = parseContinueToken(continueToken);
    const isConsistent = position.revision > 0;
    return page(scope, selection, {
      // A cache has no pages, here as below.
      limit: resourceVersion === "0" ? 0 : limit,
      after: selection.prefix + position.afterKey,
      revision: isConsistent ? position.revision : undefined,
      position,
    });
  }
  const wanted = readRevision(resourceVersion);
  await reach(scope, wanted);
  // A cache has no pages: a real server ignores the limit there.
  if (resourceVersion === "0") return page(scope, selection, { limit: 0 });
  const isExact = options.versionMatch === "Exact" || (options.versionMatch === "" && limit > 0 && wanted > 0);
  return page(scope, selection, { limit, revision: isExact ? wanted : undefined });
}

interface Page {
  /** 0 takes all. */
  readonly limit: number;
  readonly after?: string;
  readonly revision?: number | undefined;
  readonly position?: PagePosition;
}

/** Objects looked at between two looks for the limit, where a selector drops some. */
const scanStep = 500;

async function page(
  scope: RequestScope,
  selection: Selection,
  { limit, after, revision, position }: Page,
): Promise<Selected> {
  const { storage, clock } = scope.server;
  const { collection } = scope.served;
  const yieldBudget = new RequestYieldBudget(clock, scope.signal);
  const objects: KubernetesObject[] = [];
  let start = after;
  let at = revision;
  for (;;) {
    const step = stepOf(selection, limit, limit - objects.length);
    let range: RangeResult;
    try {
      range = await storage.list(collection, {
        ...rangeOf(selection),
        ...(start === undefined ? {} : { after: start }),
        ...(step === undefined ? {} : { limit: step }),
        ...(at === undefined ? {} : { revision: at }),
      });
    } catch (error) {
      if (error instanceof ExpiredRevision) throw expired(position);
      throw error;
    }
    at = range.revision;
    const room = limit === 0 ? Number.POSITIVE_INFINITY : limit - objects.length;
    if (selection.convertAll !== undefined) await selection.convertAll(range.objects, scope.signal);
    const { taken, isCut } = selection.isAll
      ? { taken: range.objects, isCut: false }
      : await matchingOf(range.objects, selection, room, yieldBudget);
    for (const object of taken) objects.push(object);
    // Whether what is left would match nobody has looked: a page after this one may be empty.
    const hasMore = selection.onlyKey === undefined && (isCut || range.remaining > 0);
    if (!hasMore) return { metadata: { resourceVersion: String(at) }, objects };
    start = range.lastKey;
    if (limit > 0 && objects.length >= limit) {
      const last = objects.at(-1) as KubernetesObject;
      const lastKey = isCut ? keyIn(scope, last) : (range.lastKey as string);
      const token = printContinueToken({ revision: at, afterKey: lastKey.slice(selection.prefix.length) });
      const remainingItemCount = selection.isAll ? range.remaining : undefined;
      const metadata = { resourceVersion: String(at), continue: token };
      return { metadata: remainingItemCount === undefined ? metadata : { ...metadata, remainingItemCount }, objects };
    }
  }
}

/** Returns how many keys are read at once; undefined for all of them. */
function stepOf({ onlyKey, isAll }: Selection, limit: number, room: number): number | undefined {
  if (onlyKey !== undefined) return 1;
  if (limit === 0) return undefined;
  return isAll ? limit : Math.max(room, scanStep);
}

/** The first that match, as many as there is room for; whether there are others behind them. */
async function matchingOf(
  objects: readonly KubernetesObject[],
  { matches }: Selection,
  room: number,
  yieldBudget: RequestYieldBudget,
): Promise<{ readonly taken: readonly KubernetesObject[]; readonly isCut: boolean }> {
  const taken: KubernetesObject[] = [];
  for (let i = 0; i < objects.length; i++) {
    const object = objects[i] as KubernetesObject;
    if (matches(object)) taken.push(object);
    if (taken.length >= room) return { taken, isCut: i < objects.length - 1 };
    if (yieldBudget.isUsedUp()) await yieldBudget.yield();
  }
  return { taken, isCut: false };
}

/** Of all keys that begin with the only one, that one is the first: who asks for it asks for a limit of 1 too. */
const rangeOf = ({ prefix, onlyKey }: Selection) => (onlyKey === undefined ? { prefix } : { prefix: onlyKey });

function keyIn({ served }: RequestScope, { metadata }: KubernetesObject): string {
  return served.resource.namespaced ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? "");
}

/** 410, with a token that goes on from here with what there is now. */
function expired(position: PagePosition | undefined): Error {
  if (position === undefined) {
    return newStatusError({
      code: 410,
      reason: "Expired",
      message: "The resourceVersion for the provided list is too old.",
    });
  }
  const error = newStatusError({
    code: 410,
    reason: "Expired",
    message:
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  });
  const token = printContinueToken({ ...position, revision: -1 });
  return new StatusError({ ...error.status, metadata: { continue: token } });
}

/** 0 for none. Throws 400. */
export function readRevision(resourceVersion: string): number {
  if (resourceVersion === "") return 0;
  const fault = versionFault(resourceVersion);
  if (fault !== undefined) throw newBadRequest(`invalid resource version: ${fault}`);
  return Number(resourceVersion);
}

/** Why this is no version, as a storage says it. */
export function versionFault(resourceVersion: string): string | undefined {
  const fault = unsignedFault(resourceVersion);
  return fault === undefined ? undefined : `resourceVersion: Invalid value: ${quote(resourceVersion)}: ${fault}`;
}

/** Waits for a version that is not there yet; 504 when it does not come. */
export async function reach({ server, signal }: RequestScope, wanted: number): Promise<void> {
  const { log } = server.storage;
  if (await waitUntilFresh(log, wanted, { clock: server.clock, signal })) return;
  throw newTooLargeResourceVersion(String(wanted), String(log.revision), { retryAfterSeconds: 1 });
}
