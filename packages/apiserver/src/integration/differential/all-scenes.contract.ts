// Every scene of the differential suite, one list per subject.

import { admissionScenes } from "./admission-scenes.contract.ts";
import { admissionregistrationScenes } from "./admissionregistration-scenes.contract.ts";
import { apiextensionsScenes } from "./apiextensions-scenes.contract.ts";
import { apiregistrationScenes } from "./apiregistration-scenes.contract.ts";
import { autoscalingScenes } from "./autoscaling-scenes.contract.ts";
import { certificatesScenes } from "./certificates-scenes.contract.ts";
import { coordinationScenes } from "./coordination-scenes.contract.ts";
import { deletingScenes } from "./deleting-scenes.contract.ts";
import { discoveryScenes } from "./discovery-scenes.contract.ts";
import { drawnScenes } from "./drawn-scenes.contract.ts";
import { flowcontrolScenes } from "./flowcontrol-scenes.contract.ts";
import { identityScenes } from "./identity-scenes.contract.ts";
import { networkingScenes } from "./networking-scenes.contract.ts";
import { nodeRestrictionScenes } from "./node-restriction-scenes.contract.ts";
import { nodeScenes } from "./node-scenes.contract.ts";
import { optionKindsScenes } from "./option-kinds-scenes.contract.ts";
import { pathScenes } from "./path-scenes.contract.ts";
import { podSecurityScenes } from "./pod-security-scenes.contract.ts";
import { policyScenes } from "./policy-scenes.contract.ts";
import { protocolScenes } from "./protocol-scenes.contract.ts";
import { rbacScenes } from "./rbac-scenes.contract.ts";
import { readingScenes } from "./reading-scenes.contract.ts";
import type { Scene } from "./request-script.contract.ts";
import { resourceScenes } from "./resource-scenes.contract.ts";
import { schedulingScenes } from "./scheduling-scenes.contract.ts";
import { storageScenes } from "./storage-scenes.contract.ts";
import { subresourceScenes } from "./subresource-scenes.contract.ts";
import { writingScenes } from "./writing-scenes.contract.ts";

export const allScenes: readonly Scene[] = [
  ...protocolScenes,
  ...rbacScenes,
  ...networkingScenes,
  ...podSecurityScenes,
  ...policyScenes,
  ...coordinationScenes,
  ...autoscalingScenes,
  ...storageScenes,
  ...schedulingScenes,
  ...nodeScenes,
  ...optionKindsScenes,
  ...discoveryScenes,
  ...certificatesScenes,
  ...flowcontrolScenes,
  ...apiregistrationScenes,
  ...resourceScenes,
  ...admissionregistrationScenes,
  ...apiextensionsScenes,
  ...readingScenes,
  ...pathScenes,
  ...writingScenes,
  ...subresourceScenes,
  ...deletingScenes,
  ...drawnScenes,
  ...identityScenes,
  ...admissionScenes,
  ...nodeRestrictionScenes,
];
