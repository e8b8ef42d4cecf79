// `apps`: workloads that run for ever.
import type { KindRules } from "../kind-rules.ts";
import { controllerRevisionRules } from "./controller-revision.ts";
import { daemonSetRules } from "./daemon-set.ts";
import { deploymentRules } from "./deployment.ts";
import { replicaSetRules } from "./replica-set.ts";
import { statefulSetRules } from "./stateful-set.ts";

export const appsRules: readonly KindRules[] = [
  controllerRevisionRules,
  daemonSetRules,
  deploymentRules,
  replicaSetRules,
  statefulSetRules,
];
