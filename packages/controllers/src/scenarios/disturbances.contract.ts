// What goes wrong in the scenarios that are run with a seed: of the controllers' requests about one in six fails, comes late or loses its
// answer, and every third watch is cut. Kills are the run's own (`EmbeddedRun.kills`).
import type { FaultRule } from "@kubeloop/core/api";

const writes = ["create", "update", "patch", "delete", "deletecollection"];

export const requestFaults: readonly FaultRule[] = [
  { name: "refused", fault: { kind: "status", code: 503 }, probability: 0.05 },
  { name: "conflict", fault: { kind: "status", code: 409 }, match: { verbs: ["update", "patch"] }, probability: 0.05 },
  { name: "never sent", fault: { kind: "reset", when: "before" }, probability: 0.03 },
  { name: "answer lost", fault: { kind: "reset", when: "after" }, match: { verbs: writes }, probability: 0.06 },
  { name: "late", fault: { kind: "delay", delayMs: 300, when: "after" }, match: { verbs: writes }, probability: 0.05 },
  { name: "watch cut", fault: { kind: "cut", after: 2, how: "reset" }, match: { verbs: ["watch"] }, probability: 0.3 },
];
