// Makes a Syncing from a plain function that returns whether something has synced. The function cannot notify, so it
// is polled, as in client-go.
import type { Clock } from "../../base/index.ts";
import type { InformerSynced, Syncing } from "./syncing.ts";

/** client-go's poll interval. */
const pollMs = 100;

/** Rejects with the error that the function throws, because then it will never sync. */
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
