// What goes wrong in the scenarios that are run with a seed: requests of the controllers that fail, answers that are lost, watches that are
// cut, and controllers that are killed. About one request in twenty.
import type { FaultRule } from "@kubeloop/core/api";

export const oneInTwenty: readonly FaultRule[] = [
  { name: "refused", fault: { kind: "status", code: 503 }, probability: 0.015 },
  { name: "conflict", fault: { kind: "status", code: 409 }, match: { verbs: ["update", "patch"] }, probability: 0.015 },
  { name: "never sent", fault: { kind: "reset", when: "before" }, probability: 0.01 },
  {
    name: "answer lost",
    fault: { kind: "reset", when: "after" },
    match: { verbs: ["create", "update", "patch", "delete"] },
    probability: 0.02,
  },
];
