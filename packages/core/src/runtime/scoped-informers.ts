// Informers of watches that look at part of a resource: some namespaces, some labels. Controllers that look at the same part with the
// same client share one, as they share those of factories. It runs while anybody holds it; the last to let go waits for its end.
import type { KubernetesObject } from "../api/index.ts";
import type { Client } from "../client/index.ts";
import type { SharedIndexInformer } from "../informer/index.ts";

type AnyInformer = SharedIndexInformer<KubernetesObject>;

export interface HeldInformer {
  readonly informer: AnyInformer;
  /** Rejects if it fails, which an informer does only by a fault in it. */
  readonly ended: Promise<void>;
  /** A second time does nothing. */
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

  /** `make` is for the first who asks. */
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
