// CSIStorageCapacity: how much storage of a class there is for some of the nodes.
import { fieldPath, type storagev1, validateDns1123Subdomain } from "@kubeloop/core/api";
import { csiStorageCapacities } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkLabelSelector, type SelectorOptions } from "../shared/labels.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { nodeSelectorWarnings } from "../shared/old-node-labels.ts";
import { checkNonNegativeQuantity } from "../shared/quantities.ts";
import { checkImmutable } from "../shared/same.ts";
import { collectFaults } from "../shared/validation-path.ts";

type CSIStorageCapacity = storagev1.CSIStorageCapacity;

export const csiStorageCapacityRules: KindRules<CSIStorageCapacity> = {
  resource: csiStorageCapacities,
  metadataOnUpdate: ["whole", "changes"],
  needsVersionOnUpdate: true,
  validate: (object) => collectObjectFaults((at) => checkCapacity(object, at)),
  validateUpdate: (object, old) =>
    collectObjectFaults((at) => {
      const wasBad = collectFaults("", (fldPath) => checkLabelSelector(old.nodeTopology, fldPath)).length > 0;
      checkCapacity(object, at, { allowsInvalidValues: wasBad });
      checkImmutable(object.nodeTopology, old.nodeTopology, at("nodeTopology"));
      checkImmutable(object.storageClassName, old.storageClassName, at("storageClassName"));
    }),
  warnings: ({ nodeTopology }) => nodeSelectorWarnings(nodeTopology, fieldPath("nodeTopology")),
};

function checkCapacity(
  { nodeTopology, storageClassName: name, capacity }: CSIStorageCapacity,
  at: ObjectPaths,
  options: SelectorOptions = {},
): void {
  checkLabelSelector(nodeTopology, at("nodeTopology"), options);
  at("storageClassName").invalidFor(name, validateDns1123Subdomain(name));
  if (capacity !== undefined) checkNonNegativeQuantity(capacity, at("capacity"));
}
