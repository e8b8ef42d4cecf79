// What can be asked for beside the object itself, under the API's own names, and how it is written into a query.
import { type FieldSelector, printFieldSelector, printSelector, type Query, type Selector } from "../../api/index.ts";

export interface GetOptions {
  /** "" asks for the newest, "0" takes whatever the server has at hand. */
  readonly resourceVersion?: string;
}

export interface SelectorOptions {
  readonly labelSelector?: string | Selector;
  readonly fieldSelector?: string | FieldSelector;
}

export interface ListOptions extends SelectorOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** How many objects to ask for at once; 0 asks for all. 500 unless given. */
  readonly pageSize?: number;
  /** The server's own limit for answering. */
  readonly timeoutSeconds?: number;
  /**
   * Called when the server no longer had the rest of a list, which then begins anew, whole: what was read so far is void.
   * Without it such a list fails with Expired.
   */
  readonly onRestart?: () => void;
}

/** One page of a table; its `metadata.continue` leads to the next. */
export interface TableOptions extends Omit<ListOptions, "onRestart"> {
  /** How many rows to ask for; all unless given. */
  readonly pageSize?: number;
  readonly continue?: string;
}

export interface WatchOptions extends SelectorOptions {
  readonly resourceVersion?: string;
  /** Goes without saying where `sendInitialEvents` is given. */
  readonly resourceVersionMatch?: "NotOlderThan";
  /**
   * Asks the server to begin with all objects there are, and to say when that is done: by a bookmark with the annotation
   * `k8s.io/initial-events-end`.
   */
  readonly sendInitialEvents?: boolean;
  /** True unless given. */
  readonly allowWatchBookmarks?: boolean;
  /** After which the server ends the watch. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions {
  /** Who to record as the one who set the fields; the client's own unless given. */
  readonly fieldManager?: string;
  /** What the server does about unknown and duplicate fields; it warns unless told. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Go through all the steps, but keep nothing. */
  readonly dryRun?: boolean;
}

/** An apply needs a manager: the client's own, or one given here. The server refuses it without. */
export interface ApplyOptions extends WriteOptions {
  /** Take over fields that others own. */
  readonly force?: boolean;
}

export interface ExactUpdateOptions extends WriteOptions {
  readonly subresource?: string | undefined;
  /** A conflict, unless these hold. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** Delete only if these still hold. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export function selectorQuery(options: SelectorOptions): Query {
  const { labelSelector, fieldSelector } = options;
  const label = typeof labelSelector === "object" ? labelText(labelSelector) : labelSelector;
  const field = typeof fieldSelector === "object" ? printFieldSelector(fieldSelector) : fieldSelector;
  return [...pair("labelSelector", label), ...pair("fieldSelector", field)];
}

// A selector of nothing prints as nothing, which selects everything: it must not get there, least of all with a delete. What
// is and is not there at once, no object satisfies.
function labelText(selector: Selector): string {
  return selector.selects === "nothing" ? "nothing,!nothing" : printSelector(selector);
}

export function watchQuery(options: Partial<WatchOptions>): Query {
  const { sendInitialEvents } = options;
  // There is only one match, and a server wants it said where it may be.
  const match = options.resourceVersionMatch ?? (sendInitialEvents === undefined ? undefined : "NotOlderThan");
  return [
    ["watch", "true"],
    ...selectorQuery(options),
    ...pair("resourceVersion", options.resourceVersion),
    ...pair("resourceVersionMatch", match),
    ...pair("sendInitialEvents", sendInitialEvents),
    ...pair("allowWatchBookmarks", options.allowWatchBookmarks ?? true),
    ...pair("timeoutSeconds", options.timeoutSeconds),
  ];
}

export function writeQuery(options: Partial<WriteOptions>, defaultFieldManager: string | undefined): Query {
  return [
    ...pair("fieldManager", options.fieldManager ?? defaultFieldManager),
    ...pair("fieldValidation", options.fieldValidation),
    ...pair("dryRun", options.dryRun === true ? "All" : undefined),
  ];
}

export function deleteBody(options: Partial<DeleteOptions>): object {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options;
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  };
}

/** One pair, or none when there is nothing to say. */
export function pair(name: string, value: string | number | boolean | undefined): Query {
  return value === undefined || value === "" ? [] : [[name, String(value)]];
}
