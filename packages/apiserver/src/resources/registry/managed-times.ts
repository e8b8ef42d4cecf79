// Whether a write changes anything but the times at which field managers last wrote: such a write is none.
import type { KubernetesObject } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft } from "../../kinds/kind-rules.ts";

/** If so, the draft gets the old times back. */
export function sameButForTimes(draft: Draft<KubernetesObject>, old: KubernetesObject): boolean {
  const before = old.metadata.managedFields;
  const after = draft.metadata.managedFields;
  if (before === undefined || after === undefined || before.length !== after.length) return deepEqual(draft, old);
  const timed = after.map((entry, i) => {
    const time = before[i]?.time;
    const { time: _time, ...rest } = entry;
    return time === undefined ? rest : { ...rest, time };
  });
  return deepEqual({ ...draft, metadata: { ...draft.metadata, managedFields: timed } }, old);
}
