// Helpers for tests of rules: a snapshot of plain objects for `observe`, answers for `decide`, an outcome for `report`. They need no server and
// no clock.
//
//   const plan = finishDecision(decide(observe("shop/web", { snapshot: plainSnapshot([[pods, [pod]]]), model: undefined, nowMs }), context));
//   const told = report(seen, outcomeOf(plan), context);
import {
  type Action,
  type ActionResult,
  actionsOf,
  type Decision,
  type InSlices,
  Outcome,
  type Plan,
} from "../contract/index.ts";
import { objectAfter } from "./object-after.ts";

export { Answers, answered, plainSnapshot, unanswered } from "../contract/for-drivers.ts";

/** Runs a decision that is made in slices to its end. Returns any other decision unchanged. */
export function finishDecision<Notes>(decision: Decision<Notes> | InSlices<Decision<Notes>>): Decision<Notes> {
  if (!("next" in decision)) return decision;
  for (;;) {
    const step = decision.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Returns an outcome in which every action has succeeded, with the object that a server without admission would return. `resultOf` gives
 * other results for some actions.
 */
export function outcomeOf<Notes>(
  plan: Plan<Notes>,
  resultOf: (action: Action) => ActionResult | undefined = () => undefined,
): Outcome<Notes> {
  const results = actionsOf(plan).map((action) => {
    const result: ActionResult = resultOf(action) ?? { status: "done", value: objectAfter(action) };
    return [action, result] as const;
  });
  return new Outcome(plan, results);
}
