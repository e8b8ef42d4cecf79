// `kinds/storage`: classes of storage, their drivers, and volumes at nodes.
import type { KindRules } from "../kind-rules.ts";
import { csiDriverRules } from "./csi-driver.ts";
import { csiNodeRules } from "./csi-node.ts";
import { csiStorageCapacityRules } from "./csi-storage-capacity.ts";
import { storageClassRules } from "./storage-class.ts";
import { volumeAttachmentRules } from "./volume-attachment.ts";
import { volumeAttributesClassRules } from "./volume-attributes-class.ts";

export const storageRules: readonly KindRules[] = [
  csiDriverRules,
  csiNodeRules,
  csiStorageCapacityRules,
  storageClassRules,
  volumeAttachmentRules,
  volumeAttributesClassRules,
];
