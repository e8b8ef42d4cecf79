// Strategic merge patches: applying them, and computing them from two or three objects. Start with
// `strategic-merge.ts`; the rules are in `merge.ts` and `diff.ts`.
export { StrategicMergeError, type StrategicMergeReason } from "./patch-error.ts";
export {
  applyStrategicMerge,
  createStrategicMerge,
  createThreeWayStrategicMerge,
  type StrategicMergeOptions,
  type ThreeWayInput,
  type ThreeWayOptions,
} from "./strategic-merge.ts";
