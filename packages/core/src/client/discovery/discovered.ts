// The result of discovery as one immutable value: groups, resources, and the group-versions that could not be read. A broken
// aggregated API does not hide the others. Before concluding anything from an absent resource, check `failures`.
//
// Everything is in the server's order: the core group, then groups as the server ranks them, their versions, their
// resources. Two results that are the same value (`===`) have the same content; two values may have the same content, too.

import { type GroupVersion, printGroupVersion } from "../../api/group-version.ts";
import type { Resource } from "../../api/resource.ts";
import { KubeloopError } from "../../base/index.ts";

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** In the server's order, including those that could not be read. */
  readonly versions: readonly string[];
  /**
   * The server's preferred version; if that could not be read, the first that could. Undefined only for a group without
   * versions.
   */
  readonly preferredVersion: string | undefined;
}

export interface Discovered {
  readonly groups: readonly ApiGroup[];
  /** Of all versions. Resources that exist only through their subresources, without a kind, are not included. */
  readonly resources: readonly Resource[];
  /** By apiVersion ("metrics.k8s.io/v1beta1"), why its resources could not be read. */
  readonly failures: ReadonlyMap<string, Error>;
}

/** The server could not reach the aggregated API of this group-version, so its discovery data may be old. */
export class StaleGroupVersionError extends KubeloopError {
  readonly groupVersion: GroupVersion;

  constructor(groupVersion: GroupVersion) {
    super(`stale GroupVersion discovery: ${printGroupVersion(groupVersion)}`, { reason: "Stale" });
    this.groupVersion = groupVersion;
  }
}

/** The response of /version. Texts that the server leaves out are empty. */
export interface ServerVersion {
  /** "1" */
  readonly major: string;
  /** "36", and "36+" on some providers. */
  readonly minor: string;
  /** "v1.36.4" */
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  /** "linux/amd64" */
  readonly platform: string;
}
