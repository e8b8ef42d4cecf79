// Groups, versions, kinds and resources: parsing and printing them, and the order in which clients prefer
// versions (v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else, alphabetically).
import { KubeloopError } from "../base/errors.ts";
import type { GroupVersionKind } from "./resource.ts";

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupResource {
  readonly group: string;
  /** The plural, in lower case: "pods". */
  readonly resource: string;
}

export interface GroupVersionResource extends GroupVersion, GroupResource {}

/** Parses "apps/v1" or "v1". Empty text is the empty group and version. Throws for more than one slash. */
export function parseGroupVersion(apiVersion: string): GroupVersion {
  if (apiVersion === "" || apiVersion === "/") return { group: "", version: "" };
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  if (apiVersion.indexOf("/", slash + 1) >= 0) {
    throw new KubeloopError(`unexpected GroupVersion string: ${apiVersion}`, { reason: "Invalid", retry: "never" });
  }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function printGroupVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Returns group, version and kind of an object. Throws as `parseGroupVersion`. */
export function kindOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseGroupVersion(object.apiVersion), kind: object.kind };
}

/** Prints "apps/v1, Kind=Deployment", as in Kubernetes' messages. */
export function printGroupVersionKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** Prints "apps/v1, Resource=deployments", as in Kubernetes' messages. */
export function printGroupVersionResource({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}, Resource=${resource}`;
}

/** "Deployment.apps" or "Pod". */
export function printGroupKind({ group, kind }: GroupKind): string {
  return group === "" ? kind : `${kind}.${group}`;
}

export function parseGroupKind(text: string): GroupKind {
  const [kind, group] = cutAtDot(text);
  return { group, kind };
}

/** "deployments.apps" or "pods". */
export function printGroupResource({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

export function parseGroupResource(text: string): GroupResource {
  const [resource, group] = cutAtDot(text);
  return { group, resource };
}

/** Positive if `left` is preferred to `right`. */
export function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  const a = parseVersion(left);
  const b = parseVersion(right);
  if (a === undefined || b === undefined) {
    if (a !== undefined) return 1;
    if (b !== undefined) return -1;
    return left < right ? 1 : -1;
  }
  return a.maturity - b.maturity || a.major - b.major || a.minor - b.minor;
}

/** Returns a new list, the preferred version first. */
export function sortVersions(versions: readonly string[]): string[] {
  return versions.toSorted((left, right) => compareVersions(right, left));
}

function parseVersion(version: string): { maturity: number; major: number; minor: number } | undefined {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (parts === null) return undefined;
  const maturity = parts[2] === undefined ? 2 : parts[2] === "beta" ? 1 : 0;
  return { maturity, major: Number(parts[1]), minor: Number(parts[3] ?? 0) };
}

function cutAtDot(text: string): [before: string, after: string] {
  const dot = text.indexOf(".");
  return dot < 0 ? [text, ""] : [text.slice(0, dot), text.slice(dot + 1)];
}
