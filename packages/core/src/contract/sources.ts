// What wakes keys beside watches: a webhook that was called, a message queue, a foreign service that is polled. Only keys come out
// of it; what to do is decided from what is there then.
//
//   sources: [{ name: "bucket events", follow: (signal) => keysFrom(subscription, signal) }]
//
// The driver iterates it while the controller runs, and again with back-off after a failure, so a source needs no retry of its own. A source
// that returns is not started again, and counts as synced.
import type { Channel } from "../base/index.ts";
import type { Wake } from "./plan.ts";

export interface WakeSource {
  /** For logs and health checks. */
  readonly name: string;
  /** Has to end, or throw, when the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<Wake | Synced>;
  /** It begins with what there is, and says `synced` after that: no worker starts before. False unless given. */
  readonly hasInitialState?: boolean;
}

export interface Synced {
  readonly isSynced: true;
}

/** What a source says when it has named all that was there when it began. */
export const synced: Synced = { isSynced: true };

/** Whatever is sent on a channel wakes keys, until the channel is closed. One at a time may follow it. */
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
