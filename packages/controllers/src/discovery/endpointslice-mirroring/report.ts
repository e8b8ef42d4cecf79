// What is said of a look at Endpoints: what was written and how long it took, and that some addresses could not be mirrored.
import type { Action, DecideContext, Measurement, Outcome, Plan } from "@kubeloop/core/contract";
import { plan, recordEvent } from "@kubeloop/core/contract";
import type { DecidedMirror } from "./decide.ts";
import { sliceChanges, syncDuration } from "./metrics.ts";
import type { Observed } from "./observe.ts";

const operations: Readonly<Partial<Record<Action["type"], string>>> = {
  create: "create",
  edit: "update",
  delete: "delete",
};

export const newReport =
  ({ maxPerSubset }: { readonly maxPerSubset: number }) =>
  ({ mirrored }: Observed, outcome: Outcome<DecidedMirror>, { nowMs }: DecideContext): Plan => {
    const { beganMs = nowMs, invalid = 0, skipped = 0 } = outcome.notes ?? {};
    // Wall time may be set back.
    const measures: Measurement[] = [syncDuration.observe(Math.max(0, nowMs - beganMs) / 1000)];
    if (mirrored === undefined) return plan("measured", [], { measures });
    for (const { action, result } of outcome.all) {
      const operation = operations[action.type];
      if (result.status === "done" && operation !== undefined) measures.push(sliceChanges.inc({ operation }));
    }
    const warn = (reason: string, message: string) => recordEvent(mirrored, { type: "Warning", reason, message });
    const events = [
      ...(invalid > 0
        ? [warn("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`)]
        : []),
      ...(skipped > invalid
        ? [
            warn(
              "TooManyAddressesToMirror",
              `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
            ),
          ]
        : []),
    ];
    return plan("measured", [events], { measures });
  };
