// What a server said it serves, as one immutable value: its groups, its resources, and beside them the group-versions
// that could not be read. One broken aggregated API never hides the others; whoever concludes something from an absence
// looks at `failures` first.
//
// Everything is in the server's order: the core group, then groups as the server ranks them, their versions, their
// resources. Two answers that are the same value (`===`) hold the same.

import { type GroupVersion, printGroupVersion } from "../../api/group-version.ts";
import type { Resource } from "../../api/resource.ts";
import { KubeloopError } from "../../base/index.ts";

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** In the server's order, those that could not be read included. */
  readonly versions: readonly string[];
  /**
   * The server's choice; where that one could not be read, the first that could. Undefined only for a group without
   * versions.
   */
  readonly preferredVersion: string | undefined;
}

export interface Discovered {
  readonly groups: readonly ApiGroup[];
  /** Of all versions. What a server lists only for its subresources, without a kind of its own, is not here. */
  readonly resources: readonly Resource[];
  /** By apiVersion ("metrics.k8s.io/v1beta1"), why its resources are not among the others. */
  readonly failures: ReadonlyMap<string, Error>;
}

/** The server itself could not reach whoever serves this group-version, and what it remembers may be old. */
export class StaleGroupVersionError extends KubeloopError {
  readonly groupVersion: GroupVersion;

  constructor(groupVersion: GroupVersion) {
    super(`stale discovery of ${printGroupVersion(groupVersion)}`, { reason: "Stale" });
    this.groupVersion = groupVersion;
  }
}

/** As /version says it. Texts are empty where the server leaves them out. */
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
