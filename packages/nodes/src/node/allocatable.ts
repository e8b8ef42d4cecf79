// How much of a node's capacity pods may use: what is left when the kubelet's hard eviction thresholds are taken off, 100Mi of memory and a tenth of
// the node's storage. Huge pages that are set aside are no memory for others. Never less than nothing. Pure.
import {
  maxQuantity,
  printQuantity,
  type Quantity,
  quantityOf,
  quantityValue,
  subtractQuantities,
  toQuantity,
  zeroQuantity,
} from "@kubeloop/core/api";

const memoryThreshold = "100Mi";
const storageThresholdPercent = 10n;

export function allocatableOf(capacity: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const allocatable: Record<string, string> = { ...capacity };
  const { memory, "ephemeral-storage": storage } = capacity;
  if (memory !== undefined) {
    const hugePages = Object.entries(capacity).filter(([resource]) => resource.startsWith("hugepages-"));
    const reserved = [memoryThreshold, ...hugePages.map(([, amount]) => amount)];
    allocatable["memory"] = print(reserved.reduce<Quantity>(subtractQuantities, toQuantity(memory)));
  }
  if (storage !== undefined) {
    const threshold = (quantityValue(storage) * storageThresholdPercent) / 100n;
    allocatable["ephemeral-storage"] = print(subtractQuantities(storage, quantityOf(threshold)));
  }
  return allocatable;
}

const print = (amount: Quantity) => printQuantity(maxQuantity(amount, zeroQuantity));
