// What writes take together with themselves, in this order: addresses and ports of services, and shares of quotas where their plugin runs.
import type { PluginName } from "../admission/plugin-order.ts";
import type { Reserver } from "../resources/registry/reservations.ts";
import { quotaUsage } from "./charge-quotas.ts";
import { serviceAddresses } from "./service-addresses.ts";

export function reserversFor(plugins: readonly PluginName[]): readonly Reserver[] {
  return plugins.includes("ResourceQuota") ? [serviceAddresses, quotaUsage] : [serviceAddresses];
}
