// Rows for the beginning of a cycle: a streamed list where that is possible, a list otherwise, and from which version.
import { isAnyVersion, openWatch, startList, startStream } from "./reflector-moves.ts";
import { type Row, row, type Seen } from "./reflector-row.ts";

type Begin = Seen<"idle" | "waiting", "go">;
const begin = { at: ["idle", "waiting"], on: "go" } as const;

const isBeginning = ({ phase }: Begin) => phase.at === "idle" || phase.next === "begin";
const canStream = (seen: Begin) => isBeginning(seen) && seen.rules.canStream && !isKnownUnstreamable(seen);
const isKnownUnstreamable = ({ state, input, rules }: Begin) =>
  state.unstreamableSinceMs !== undefined && input.nowMs - state.unstreamableSinceMs < rules.streamRetryMs;
const knowsVersion = ({ state }: Begin) => state.resourceVersion !== "";

export const beginRows = [
  row("begin/watch-again", { ...begin, when: (seen) => !isBeginning(seen), move: openWatch }),

  // Servers are upgraded, and bad hours pass: from time to time the one that could not is asked again.
  row("begin/stream-tried-again", {
    ...begin,
    when: (seen) => canStream(seen) && seen.state.unstreamableSinceMs !== undefined,
    move: (seen) => startStream({ ...seen, state: { ...seen.state, unstreamableSinceMs: undefined } }),
  }),
  row("begin/stream-newest", {
    ...begin,
    when: (seen) => canStream(seen) && seen.state.isVersionUnavailable,
    move: startStream,
  }),
  row("begin/stream-again", { ...begin, when: (seen) => canStream(seen) && knowsVersion(seen), move: startStream }),
  row("begin/stream-first", { ...begin, when: canStream, move: startStream }),

  row("begin/list-newest", {
    ...begin,
    when: ({ state }) => state.isVersionUnavailable,
    move: (seen) => startList(seen),
  }),
  row("begin/list-first", { ...begin, when: (seen) => !knowsVersion(seen), move: (seen) => startList(seen) }),
  row("begin/list-again-in-forced-pages", {
    ...begin,
    when: ({ rules }) => rules.forcedPageSize !== undefined,
    move: (seen) => startList(seen),
  }),
  row("begin/list-again-in-pages", {
    ...begin,
    when: ({ state }) => state.isPaged || isAnyVersion(state.resourceVersion),
    move: (seen) => startList(seen),
  }),
  row("begin/list-again", { ...begin, move: (seen) => startList(seen) }),
] as const satisfies readonly Row[];
