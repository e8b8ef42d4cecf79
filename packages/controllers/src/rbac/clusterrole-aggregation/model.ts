// Whether the server has server-side apply: it is thought to, until it says no.

import { keyOf } from "@kubeloop/core/api";
import type { Learned, Wake } from "@kubeloop/core/contract";
import type { Observed } from "./observe.ts";

export class ApplySupport {
  canApply = true;
}

/** An apply that was not understood is done by an edit, at once. */
export function learn(model: ApplySupport, { role }: Observed, { outcome }: Learned): readonly Wake[] {
  const isRefused = outcome.find({ type: "apply" }).some(({ result }) => result.status === "tolerated");
  if (!isRefused) return [];
  model.canApply = false;
  return [keyOf(role)];
}
