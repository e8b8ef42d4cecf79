// Informers for watches of a part of a resource: one namespace, or a label or field selector. Controllers that watch the same part with the
// same client share one informer, as they share the informers of factories. The informer runs while it has holders; the last `release` stops
// it and waits until it has ended.
import type { KubernetesObject } from "../api/index.ts";
import type { Client } from "../client/index.ts";
import type { SharedIndexInformer } from "../informer/index.ts";

type AnyInformer = SharedIndexInformer<KubernetesObject>;

export interface HeldInformer {
  readonly informer: AnyInformer;
  /** Rejects if the informer fails, which happens only because of a bug in the informer. */
  readonly ended: Promise<void>;
  /** A second call does nothing. */
  release(): Promise<void>;
}

interface Running {
  readonly informer: AnyInformer;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  holders: number;
}

export class ScopedInformers {
  readonly #running = new Map<string, Running>();

  /** Calls `make` only if no informer with this id is running. */
  hold(id: string, make: () => AnyInformer): HeldInformer {
    const running = this.#running.get(id) ?? this.#start(id, make());
    running.holders++;
    let isHeld = true;
    return {
      informer: running.informer,
      ended: running.ended,
      release: async () => {
        if (!isHeld) return;
        isHeld = false;
        if (--running.holders > 0) return;
        this.#running.delete(id);
        running.stop.abort();
        // A failure was already reported to the holders by `ended`.
        await running.ended.catch(() => {});
      },
    };
  }

  #start(id: string, informer: AnyInformer): Running {
    const stop = new AbortController();
    const ended = informer.run(stop.signal);
    ended.catch(() => {});
    const running = { informer, stop, ended, holders: 0 };
    this.#running.set(id, running);
    return running;
  }
}

const byClient = new WeakMap<Client, ScopedInformers>();

export function scopedInformersOf(client: Client): ScopedInformers {
  const known = byClient.get(client) ?? new ScopedInformers();
  byClient.set(client, known);
  return known;
}
