// Rows for a list: it is there, its version is not, or it failed.
import { backOff, listAt, openWatch } from "./reflector-moves.ts";
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

const listLater = (seen: ListFailed) => backOff(seen, "begin");

export const listRows = [
  row("list/done-in-pages", { ...listed, when: isFirstInPages, move: afterList }),
  row("list/done", { ...listed, move: afterList }),

  row("list/version-expired", {
    ...failed,
    when: ({ phase, input }) => input.failure === "expired" && phase.resourceVersion !== "",
    move: listNewest,
  }),
  row("list/version-too-large", {
    ...failed,
    when: ({ phase, input }) => input.failure === "too-large" && phase.resourceVersion !== "",
    move: listNewest,
  }),
  row("list/busy", { ...failed, when: ({ input }) => input.failure === "busy", move: listLater }),
  row("list/unreachable", { ...failed, when: ({ input }) => input.failure === "unreachable", move: listLater }),
  // Forbidden, or no such resource: nothing here can change that, and it may change any time.
  row("list/denied", { ...failed, when: ({ input }) => input.failure === "denied", move: listLater }),
  row("list/refused-by-store", { ...failed, when: ({ input }) => input.failure === "store", move: listLater }),
  row("list/failed", { ...failed, move: listLater }),
] as const satisfies readonly Row[];
