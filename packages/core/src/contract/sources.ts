// Sources of keys other than watches: calls of a webhook, a message queue, an external service that is polled. A source only enqueues keys;
// the reconcile decides from the state that it observes then.
//
//   sources: [{ name: "bucket events", follow: (signal) => keysFrom(subscription, signal) }]
//
// The driver iterates over a source while the controller runs, and starts it again with backoff after a failure, so a source needs no retry of
// its own. A source that returns is not started again, and counts as synced.
import type { Channel } from "../base/index.ts";
import type { Wake } from "./plan.ts";

export interface WakeSource {
  /** For logs and health checks. */
  readonly name: string;
  /** Must return or throw when the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<Wake | Synced>;
  /** Whether the source first yields the keys that exist already and then `synced`. Workers do not start before `synced`. False unless given. */
  readonly hasInitialState?: boolean;
}

export interface Synced {
  readonly isSynced: true;
}

/** A source yields this after all keys that existed when it started. */
export const synced: Synced = { isSynced: true };

/** A source that enqueues the keys sent on a channel, until the channel is closed. Only one reader at a time may read the channel. */
export function channelSource(name: string, channel: Channel<Wake>): WakeSource {
  return {
    name,
    async *follow(signal) {
      for (;;) {
        const next = await channel.receive(signal);
        if (next === undefined) return;
        yield next.value;
      }
    },
  };
}
