// Rows for a list: it succeeded, its resourceVersion is unavailable, or it failed.

import { backOff, isVersionUnavailable, listAt, openWatch } from "./reflector-transitions.ts";
import { type Row, row, type Seen } from "./transition-row.ts";

type Listed = Seen<"listing", "listed">;
type ListFailed = Seen<"listing", "failed">;
const listed = { at: "listing", on: "listed" } as const;
const failed = { at: "listing", on: "failed" } as const;

const afterList = (seen: Listed) =>
  openWatch({
    ...seen,
    state: {
      ...seen.state,
      resourceVersion: seen.input.resourceVersion,
      isVersionUnavailable: false,
      isPaged: seen.state.isPaged || isFirstInPages(seen),
      healthySinceMs: seen.state.healthySinceMs ?? seen.input.nowMs,
      earlyEnds: 0,
      internalErrors: undefined,
    },
  });

// Pages show only at "0" that the server has no watch cache: at "" also a server with a cache reads from its storage.
const isFirstInPages = ({ phase, input }: Listed) => phase.resourceVersion === "0" && input.isPaged;

/** Without delay, and in pages only if the first attempt was: a list meant for the watch cache must not become paged reads from storage. */
const listNewest = ({ state, phase }: ListFailed) =>
  listAt({ ...state, isVersionUnavailable: true }, "", phase.pageSize);

export const listRows = [
  row("list/done", { ...listed, transition: afterList }),

  row("list/version-unavailable", { ...failed, when: isVersionUnavailable, transition: listNewest }),
  // All other failures are retried: the server is busy or unreachable, or the store rejected the list. So is a list that is forbidden,
  // or of an unknown resource, because that may change at any time.
  row("list/failed", { ...failed, transition: (seen) => backOff(seen, "begin") }),
] as const satisfies readonly Row[];
