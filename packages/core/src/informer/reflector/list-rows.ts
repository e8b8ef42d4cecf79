// Rows for a list: it is there, its version is not, or it failed.
import { backOff, isVersionUnavailable, listAt, openWatch } from "./reflector-moves.ts";
import { type Row, row, type Seen } from "./reflector-row.ts";

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

// Only at "0" do pages tell that there is no cache: at "" a server with one goes to its storage too.
const isFirstInPages = ({ phase, input }: Listed) => phase.resourceVersion === "0" && input.isPaged;

/** At once, and in pages only if the first attempt was: what was asked of the cache is not to fall on the storage in pieces. */
const listNewest = ({ state, phase }: ListFailed) =>
  listAt({ ...state, isVersionUnavailable: true }, "", phase.pageSize);

export const listRows = [
  row("list/done", { ...listed, move: afterList }),

  row("list/version-unavailable", { ...failed, when: isVersionUnavailable, move: listNewest }),
  // Whatever it was, it is tried again: the server is busy or out of reach, the store has refused the list; also where the list is forbidden,
  // or there is no such resource, because that may change any time.
  row("list/failed", { ...failed, move: (seen) => backOff(seen, "begin") }),
] as const satisfies readonly Row[];
