// Rows for the beginning of a cycle: a streamed list where that is possible, a list otherwise. From which version, and in which pages, is the
// same rule for each (listVersion and pageSizeAt in reflector-moves.ts).
import { openWatch, startList, startStream } from "./reflector-moves.ts";
import { type Row, row, type Seen } from "./reflector-row.ts";

type Begin = Seen<"idle" | "waiting", "go">;
const begin = { at: ["idle", "waiting"], on: "go" } as const;

const isBeginning = ({ phase }: Begin) => phase.at === "idle" || phase.next === "begin";
const canStream = (seen: Begin) => isBeginning(seen) && seen.rules.canStream && !isKnownUnstreamable(seen);
const isKnownUnstreamable = ({ state, input, rules }: Begin) =>
  state.unstreamableSinceMs !== undefined && input.nowMs - state.unstreamableSinceMs < rules.streamRetryMs;

export const beginRows = [
  row("begin/watch-again", { ...begin, when: (seen) => !isBeginning(seen), move: openWatch }),

  // Servers are upgraded, and bad hours pass: from time to time the one that could not is asked again.
  row("begin/stream-tried-again", {
    ...begin,
    when: (seen) => canStream(seen) && seen.state.unstreamableSinceMs !== undefined,
    move: (seen) => startStream({ ...seen, state: { ...seen.state, unstreamableSinceMs: undefined } }),
  }),
  row("begin/stream", { ...begin, when: canStream, move: startStream }),
  row("begin/list", { ...begin, move: (seen) => startList(seen) }),
] as const satisfies readonly Row[];
