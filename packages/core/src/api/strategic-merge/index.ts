// Strategic merge patches: applying them, and making them from two or three objects. Start reading at
// `strategic-merge.ts`; `merge.ts` and `diff.ts` hold the rules.
export { StrategicMergeError, type StrategicMergeReason } from "./patch-error.ts";
export {
  applyStrategicMerge,
  createStrategicMerge,
  createThreeWayStrategicMerge,
  type StrategicMergeOptions,
  type ThreeWayInput,
  type ThreeWayOptions,
} from "./strategic-merge.ts";
