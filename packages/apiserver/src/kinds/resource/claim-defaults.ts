// What a claim on devices asks for unless it says so: exactly one.
import type { resourcev1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";

interface CountedRequest {
  allocationMode?: string;
  count?: number;
}

export function setClaimDefaults(spec: Draft<resourcev1.ResourceClaimSpec> | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    if (exactly !== undefined) setCount(exactly);
    for (const request of firstAvailable) setCount(request);
  }
}

function setCount(request: CountedRequest): void {
  request.allocationMode ||= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
}
