// A plain function that says whether something has synced, as something to wait for. It cannot say when it will be true, so it
// is asked again and again, as client-go does.
import type { Clock } from "../../base/index.ts";
import type { InformerSynced, Syncing } from "./syncing.ts";

/** As often as client-go asks. */
const pollMs = 100;

/** Rejects with what the function throws: then it never will. */
export function toSyncing(isSynced: InformerSynced, given: Clock): Syncing {
  const clock = given.labelled({ kind: "background", name: "waiting for a cache" });
  let hasSynced = false;
  const look = () => {
    hasSynced ||= isSynced();
    return hasSynced;
  };
  return {
    name: isSynced.name === "" ? "a function" : isSynced.name,
    hasSynced: () => hasSynced,
    async whenSynced(signal) {
      while (!look()) await clock.sleep(pollMs, signal);
    },
  };
}
