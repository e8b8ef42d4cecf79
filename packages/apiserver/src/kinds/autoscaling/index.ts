// `kinds/autoscaling`: horizontal pod autoscalers, under both of their versions.
import type { KindRules } from "../kind-rules.ts";
import { horizontalPodAutoscalerRules } from "./horizontal-pod-autoscaler.ts";

export const autoscalingRules: readonly KindRules[] = [horizontalPodAutoscalerRules];
