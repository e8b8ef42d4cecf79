// `kinds/core`: the kinds of the core group.
import type { KindRules } from "../kind-rules.ts";
import { configMapRules } from "./config-map.ts";
import { endpointsRules } from "./endpoints.ts";
import { eventRules } from "./event.ts";
import { limitRangeRules } from "./limit-range.ts";
import { namespaceRules } from "./namespace.ts";
import { nodeRules } from "./node.ts";
import { persistentVolumeRules } from "./persistent-volume.ts";
import { persistentVolumeClaimRules } from "./persistent-volume-claim.ts";
import { podRules } from "./pod.ts";
import { podTemplateRules } from "./pod-template.ts";
import { replicationControllerRules } from "./replication-controller.ts";
import { resourceQuotaRules } from "./resource-quota.ts";
import { secretRules } from "./secret.ts";
import { serviceRules } from "./service.ts";
import { serviceAccountRules } from "./service-account.ts";

export const coreRules: readonly KindRules[] = [
  configMapRules,
  endpointsRules,
  eventRules,
  limitRangeRules,
  namespaceRules,
  nodeRules,
  persistentVolumeRules,
  persistentVolumeClaimRules,
  podRules,
  podTemplateRules,
  replicationControllerRules,
  resourceQuotaRules,
  secretRules,
  serviceRules,
  serviceAccountRules,
];
