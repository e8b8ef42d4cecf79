// The options of requests, with the API's names, and their encoding in a query.
import { type FieldSelector, printFieldSelector, printSelector, type Query, type Selector } from "../../api/index.ts";

export interface GetOptions {
  /** "" requests the newest state, "0" any state that the server has cached. */
  readonly resourceVersion?: string;
}

export interface SelectorOptions {
  readonly labelSelector?: string | Selector;
  readonly fieldSelector?: string | FieldSelector;
}

export interface ListOptions extends SelectorOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Objects per page; 0 requests all at once. Default: 500. */
  readonly pageSize?: number;
  /** The server's timeout for the request. */
  readonly timeoutSeconds?: number;
  /**
   * Called when a continue token has expired and the list starts again, without pages: the items read so far are void.
   * Without it such a list fails with Expired.
   */
  readonly onRestart?: () => void;
}

/** For one page of a table; its `metadata.continue` leads to the next. */
export interface TableOptions extends Omit<ListOptions, "onRestart"> {
  /** Rows to request. Default: all. */
  readonly pageSize?: number;
  readonly continue?: string;
}

export interface WatchOptions extends SelectorOptions {
  readonly resourceVersion?: string;
  /** Implied if `sendInitialEvents` is given. */
  readonly resourceVersionMatch?: "NotOlderThan";
  /**
   * Requests initial events for all existing objects, whose end is marked by a bookmark with the annotation
   * `k8s.io/initial-events-end`.
   */
  readonly sendInitialEvents?: boolean;
  /** Default: true. */
  readonly allowWatchBookmarks?: boolean;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions {
  /** The field manager. Default: the client's. */
  readonly fieldManager?: string;
  /** How the server treats unknown and duplicate fields. The server's default: Warn. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Run validation and admission, but do not store. */
  readonly dryRun?: boolean;
}

/** An apply needs a field manager: the client's, or the one given here. The server rejects it without one. */
export interface ApplyOptions extends WriteOptions {
  /** Take over fields that other managers own. */
  readonly force?: boolean;
}

export interface ExactUpdateOptions extends WriteOptions {
  readonly subresource?: string | undefined;
  /** The update fails with Conflict unless these hold. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  /** The delete fails with Conflict unless these hold. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export function selectorQuery(options: SelectorOptions): Query {
  const { labelSelector, fieldSelector } = options;
  const label = typeof labelSelector === "object" ? labelText(labelSelector) : labelSelector;
  const field = typeof fieldSelector === "object" ? printFieldSelector(fieldSelector) : fieldSelector;
  return [...pair("labelSelector", label), ...pair("fieldSelector", field)];
}

// The "nothing" selector prints as empty text, which would select everything: it must not be sent, least of all with a delete. So
// one that no object matches is sent instead: no label both exists and does not exist.
function labelText(selector: Selector): string {
  return selector.selects === "nothing" ? "nothing,!nothing" : printSelector(selector);
}

export function watchQuery(options: Partial<WatchOptions>): Query {
  const { sendInitialEvents } = options;
  // There is only one possible value, and the server requires it together with `sendInitialEvents`.
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

/** Returns one query pair, or none if the value is undefined or empty. */
export function pair(name: string, value: string | number | boolean | undefined): Query {
  return value === undefined || value === "" ? [] : [[name, String(value)]];
}
