// Every write passes these, in this order. Admission, addresses and quota join here.
import type { WriteStep } from "../resources/write-steps.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { serviceAddresses } from "./service-addresses.ts";

export const writeSteps: readonly WriteStep[] = [namespaceLifecycle, serviceAddresses];
