// Which pods are to be evicted when. After a restart every pod on a tainted node is tolerated anew, for as long as its tolerations say.
export interface Eviction {
  /** Of the pod: one that was made anew under its name is another pod. */
  readonly uid: string | undefined;
  /** When it is due. Later changes of taints do not move it, as long as the pod is to be evicted at some time. */
  readonly atMs: number;
  /** Whether the event was recorded that says so: an eviction that fails is tried again without another one. */
  readonly isAnnounced: boolean;
}

export class Evictions {
  readonly byPod = new Map<string, Eviction>();
}
