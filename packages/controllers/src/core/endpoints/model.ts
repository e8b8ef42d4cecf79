// What is remembered between looks: when the pods of each Service last became ready or not ready. After a restart the first look at a Service
// counts as its creation, as upstream has it.
import type { Learned, Wake } from "@kubeloop/core/contract";
import type { TriggerTimes } from "../../domain/trigger-times.ts";
import type { DecidedEndpoints } from "./decide.ts";
import type { Observed } from "./observe.ts";

export class SeenTimes {
  readonly #byKey = new Map<string, TriggerTimes>();

  get(key: string): TriggerTimes | undefined {
    return this.#byKey.get(key);
  }

  /** Undefined for a Service that is gone. */
  set(key: string, times: TriggerTimes | undefined): void {
    if (times === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, times);
  }
}

export function learn(
  model: SeenTimes,
  { key, service }: Observed,
  { outcome }: Learned<DecidedEndpoints>,
): readonly Wake[] {
  if (service === undefined) model.set(key, undefined);
  // After a failure the next try still belongs to the change that this one was for.
  else if (outcome.notes !== undefined && !outcome.hasFailed) model.set(key, outcome.notes.times);
  return [];
}
