// Edits the conditions of an object's status. The functions are pure, share what they do not change, and return the same list (`===`) if nothing
// changes, so that the caller knows whether there is anything to write. The caller passes the time.
import type { Condition } from "./generated/types/meta/v1.ts";
import { printTime } from "./time.ts";

/** The conditions of any kind: some kinds have more fields than `meta/v1`'s, some fewer. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/** The condition that a controller sets; lastTransitionTime is computed. */
export interface ConditionChange {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  /** Only to set a time other than now. */
  readonly lastTransitionTime?: string;
}

export function findCondition<T extends ConditionLike>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

export function isConditionFalse(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "False";
}

/** The fields of the caller's condition type that are not common to all conditions. */
type OtherFields<T> = Omit<T, keyof ConditionChange | "lastTransitionTime">;

/**
 * Adds the condition or changes it in place. `lastTransitionTime` changes only when `status` does. The conditions keep the caller's type:
 * the change must have all fields that this type requires.
 */
export function setCondition<T extends ConditionLike = Condition>(
  conditions: readonly T[] | undefined,
  change: ConditionChange & OtherFields<NoInfer<T>>,
  nowMs: number,
): readonly T[] {
  const all = conditions as readonly Condition[] | undefined;
  return setUsual(all, change as ConditionChange, nowMs) as readonly unknown[] as readonly T[];
}

function setUsual(
  conditions: readonly Condition[] | undefined,
  change: ConditionChange,
  nowMs: number,
): readonly Condition[] {
  const existing = findCondition(conditions, change.type);
  const isTransition = existing?.status !== change.status;
  const lastTransitionTime = isTransition
    ? (change.lastTransitionTime ?? printTime(nowMs))
    : (existing?.lastTransitionTime ?? printTime(nowMs));
  if (conditions === undefined || existing === undefined) {
    return [...(conditions ?? []), { ...change, lastTransitionTime }];
  }
  const isSame =
    !isTransition &&
    existing.reason === change.reason &&
    existing.message === change.message &&
    (existing.observedGeneration ?? 0) === (change.observedGeneration ?? 0);
  if (isSame) return conditions;
  const { observedGeneration: _old, ...rest } = existing;
  const changed: Condition = { ...rest, ...change, lastTransitionTime };
  return conditions.map((condition) => (condition === existing ? changed : condition));
}

export function removeCondition<T extends ConditionLike>(
  conditions: readonly T[] | undefined,
  type: string,
): readonly T[] | undefined {
  if (findCondition(conditions, type) === undefined) return conditions;
  return conditions?.filter((condition) => condition.type !== type);
}
