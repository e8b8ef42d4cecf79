// What the query says about a request, checked as a real server checks it: texts that are no numbers are 400, combinations that make
// no sense are 422 with the field's name.
import {
  DurationError,
  type Fault,
  type FieldSelector,
  FieldSelectorError,
  fieldPath,
  forbiddenFault,
  invalidFault,
  newBadRequest,
  newInvalid,
  notSupportedFault,
  parseDurationMs,
  parseFieldSelector,
  parseSelector,
  type Query,
  queryValue,
  quote,
  type RequestInfo,
  type Selector,
  SelectorError,
  tooLongFault,
} from "@kubeloop/core/api";

export interface ListOptions {
  readonly labels: Selector;
  readonly fields: FieldSelector;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly versionMatch: "" | "Exact" | "NotOlderThan";
  readonly isWatch: boolean;
  readonly allowsBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly sendInitialEvents: boolean | undefined;
}

export function listOptionsOf(query: Query, isWatch: boolean): ListOptions {
  const options = {
    labels: readLabels(queryValue(query, "labelSelector") ?? ""),
    fields: readFields(queryValue(query, "fieldSelector") ?? ""),
    isWatch,
    allowsBookmarks: readBoolean(query, "allowWatchBookmarks") ?? false,
    resourceVersion: queryValue(query, "resourceVersion") ?? "",
    versionMatch: queryValue(query, "resourceVersionMatch") ?? "",
    // Read before the limit: of two that are no numbers the first is reported.
    timeoutSeconds: readInteger(query, "timeoutSeconds"),
    // Less than nothing is no limit, as upstream.
    limit: Math.max(0, readInteger(query, "limit") ?? 0),
    continueToken: queryValue(query, "continue") ?? "",
    sendInitialEvents: readBoolean(query, "sendInitialEvents"),
  };
  const faults = isWatch ? watchFaults(options) : listFaults(options);
  refuse("ListOptions", faults);
  return { ...options, versionMatch: options.versionMatch as ListOptions["versionMatch"] };
}

type Unchecked = Omit<ListOptions, "versionMatch"> & { readonly versionMatch: string };

const matchPath = fieldPath("resourceVersionMatch");

function listFaults({ versionMatch, resourceVersion, continueToken, sendInitialEvents }: Unchecked): Fault[] {
  const faults: Fault[] = [];
  if (versionMatch !== "") {
    const refused = (why: string) => faults.push(forbiddenFault(matchPath, `resourceVersionMatch ${why}`));
    if (resourceVersion === "") refused("is forbidden unless resourceVersion is provided");
    if (continueToken !== "") refused("is forbidden when continue is provided");
    if (versionMatch !== "Exact" && versionMatch !== "NotOlderThan") {
      faults.push(notSupportedFault(matchPath, versionMatch, ["Exact", "NotOlderThan", ""]));
    }
    if (versionMatch === "Exact" && resourceVersion === "0") refused('"exact" is forbidden for resourceVersion "0"');
  }
  if (sendInitialEvents !== undefined) {
    faults.push(forbiddenFault(fieldPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"));
  }
  return faults;
}

function watchFaults(options: Unchecked): Fault[] {
  const { versionMatch, sendInitialEvents, continueToken, resourceVersion } = options;
  const faults: Fault[] = [];
  // From the beginning on is the same as with initial events, and refused like it.
  const isLegacy = sendInitialEvents === undefined && versionMatch === "" && ["", "0"].includes(resourceVersion);
  if (isLegacy && continueToken !== "") {
    return [forbiddenFault(matchPath, "resourceVersionMatch is forbidden when continue is provided")];
  }
  if (sendInitialEvents !== undefined && versionMatch !== "NotOlderThan") {
    faults.push(forbiddenFault(matchPath, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (versionMatch === "") return faults;
  if (sendInitialEvents === undefined) {
    const why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    faults.push(forbiddenFault(matchPath, why));
  }
  if (versionMatch !== "NotOlderThan") faults.push(notSupportedFault(matchPath, versionMatch, ["NotOlderThan"]));
  if (continueToken !== "") {
    faults.push(forbiddenFault(matchPath, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return faults;
}

export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Only for apply patches. */
  readonly force: boolean | undefined;
}

/** `kind` is that of the options: CreateOptions, UpdateOptions, PatchOptions. */
export function writeOptionsOf(query: Query, kind: string): WriteOptions {
  const dryRun = query.filter(([name]) => name === "dryRun").map(([, value]) => value);
  const fieldManager = queryValue(query, "fieldManager") ?? "";
  const fieldValidation = queryValue(query, "fieldValidation") ?? "";
  const force = readBoolean(query, "force");
  const faults: Fault[] = [];
  if (kind === "PatchOptions" && force !== undefined) {
    faults.push(forbiddenFault(fieldPath("force"), "may not be specified for non-apply patch"));
  }
  faults.push(...fieldManagerFaults(fieldManager), ...dryRunFaults(dryRun));
  if (!["", "Ignore", "Warn", "Strict"].includes(fieldValidation)) {
    const known = ["", "Ignore", "Strict", "Warn"];
    faults.push(notSupportedFault(fieldPath("fieldValidation"), fieldValidation, known));
  }
  refuse(kind, faults);
  return {
    isDryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as WriteOptions["fieldValidation"]),
    force,
  };
}

const longestFieldManager = 128;

function fieldManagerFaults(manager: string): Fault[] {
  const path = fieldPath("fieldManager");
  const faults: Fault[] = [];
  if (Buffer.byteLength(manager) > longestFieldManager) faults.push(tooLongFault(path, longestFieldManager));
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = character.codePointAt(0) ?? 0;
      const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      faults.push(invalidFault(path, manager, `invalid character ${name} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return faults;
}

/** Go's idea of it: letters, marks, numbers, punctuation, symbols, and of all spaces only the plain one. */
const isPrintable = (character: string) => character === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);

export function dryRunFaults(dryRun: readonly string[]): Fault[] {
  if (dryRun.every((value) => value === "All")) return [];
  return [notSupportedFault(fieldPath("dryRun"), dryRun, ["All"])];
}

export function refuse(kind: string, faults: readonly Fault[]): void {
  if (faults.length > 0) throw newInvalid({ group: "meta.k8s.io", kind }, "", { faults });
}

const longRunningVerbs = new Set(["watch", "proxy"]);
const longRunningSubresources = new Set(["attach", "exec", "proxy", "log", "portforward"]);
/** As long as any request may take, of a client that gives it less time too: `--request-timeout` of kube-apiserver. */
const longestTimeoutMs = 60_000;

/** Whether the request has neither a deadline nor a place among those in flight: watches, logs and connections. */
export function isLongRunning(info: RequestInfo): boolean {
  if (longRunningVerbs.has(info.verb)) return true;
  return info.isResourceRequest && longRunningSubresources.has(info.subresource);
}

/** Returns how long the request may take; undefined for a long-running one. Throws 400 for a timeout that is no duration. */
export function requestTimeoutMs(query: Query, info: RequestInfo): number | undefined {
  if (isLongRunning(info)) return undefined;
  const text = queryValue(query, "timeout") ?? "";
  const timeoutMs = text === "" ? 0 : readTimeout(text);
  return timeoutMs > 0 && timeoutMs < longestTimeoutMs ? timeoutMs : longestTimeoutMs;
}

function readTimeout(text: string): number {
  try {
    return parseDurationMs(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw newBadRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}

function readLabels(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) throw newBadRequest(error.message);
    throw error;
  }
}

function readFields(text: string): FieldSelector {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (error instanceof FieldSelectorError) throw newBadRequest(error.message);
    throw error;
  }
}

export function readInteger(query: Query, name: string): number | undefined {
  const text = queryValue(query, name);
  if (text === undefined) return undefined;
  const refused = (why: string) => newBadRequest(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw refused("invalid syntax");
  if (BigInt.asIntN(64, BigInt(text.replace("+", ""))) !== BigInt(text.replace("+", ""))) {
    throw refused("value out of range");
  }
  return Number(text);
}

/** Why Go reads no unsigned number of 64 bits out of this text. */
export function unsignedFault(text: string): string | undefined {
  const refused = (why: string) => `strconv.ParseUint: parsing ${quote(text)}: ${why}`;
  if (!/^\d+$/.test(text)) return refused("invalid syntax");
  return text.length > 19 && BigInt(text) > 0xffff_ffff_ffff_ffffn ? refused("value out of range") : undefined;
}

/** Anything but "false" and "0" is yes, even nothing at all. */
export function readBoolean(query: Query, name: string): boolean | undefined {
  const text = queryValue(query, name);
  if (text === undefined) return undefined;
  return text.toLowerCase() !== "false" && text !== "0";
}
