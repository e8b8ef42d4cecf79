// Rows for the start of a cycle: a streamed list if possible, otherwise a list. Whether a list starts here or after a failed stream, its
// resourceVersion and page size follow the same rules (listVersion and pageSizeAt in reflector-transitions.ts).

import { openWatch, startList, startStream } from "./reflector-transitions.ts";
import { type Row, row, type Seen } from "./transition-row.ts";

type Begin = Seen<"idle" | "waiting", "go">;
const begin = { at: ["idle", "waiting"], on: "go" } as const;

const isBeginning = ({ phase }: Begin) => phase.at === "idle" || phase.next === "begin";
const canStream = (seen: Begin) => isBeginning(seen) && seen.rules.canStream && !isKnownUnstreamable(seen);
const isKnownUnstreamable = ({ state, input, rules }: Begin) =>
  state.unstreamableSinceMs !== undefined && input.nowMs - state.unstreamableSinceMs < rules.streamRetryMs;

export const beginRows = [
  row("begin/watch-again", { ...begin, when: (seen) => !isBeginning(seen), transition: openWatch }),

  // Servers are upgraded and outages end: a server that could not stream is tried again from time to time.
  row("begin/stream-tried-again", {
    ...begin,
    when: (seen) => canStream(seen) && seen.state.unstreamableSinceMs !== undefined,
    transition: (seen) => startStream({ ...seen, state: { ...seen.state, unstreamableSinceMs: undefined } }),
  }),
  row("begin/stream", { ...begin, when: canStream, transition: startStream }),
  row("begin/list", { ...begin, transition: (seen) => startList(seen) }),
] as const satisfies readonly Row[];
