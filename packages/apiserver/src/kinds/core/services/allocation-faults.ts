// What is said when an address or a port cannot be had.
import { type Fault, newInternalError, newInvalid, type StatusError } from "@kubeloop/core/api";
import { collectFaults } from "../../shared/validation-path.ts";
import { nodePortRange } from "./node-port-range.ts";
import { isHealthCheck, type PortClaim } from "./plan-addresses.ts";
import { type Service, specOf } from "./service-traits.ts";

export const isFull = "range is full";
export const ipIsTaken = "provided IP is already allocated";
export const ipIsElsewhere = "the provided network does not match the current range";
export const portIsTaken = "provided port is already allocated";
export const portIsElsewhere = `provided port is not in the valid range. The range of valid ports is ${nodePortRange}`;

export const ipIsNotIn = (ip: string, range: string): string =>
  `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${range}`;

export const invalidService = ({ metadata }: Service, faults: readonly Fault[]): StatusError =>
  newInvalid({ group: "", kind: "Service" }, metadata.name ?? "", { faults });

/** `asked` is undefined where any would have done. */
export function ipError(service: Service, asked: string | undefined, why: string): StatusError {
  if (asked === undefined) {
    const name = JSON.stringify(service.metadata.name ?? "");
    return newInternalError(new Error(`failed to allocate a serviceIP for Service ${name}: ${why}`));
  }
  const text = `failed to allocate IP ${asked}: ${why}`;
  const shown = specOf(service).clusterIPs ?? null;
  return invalidService(
    service,
    collectFaults("spec", (fldPath) => fldPath.at("clusterIPs").invalid(shown, text)),
  );
}

export function portError(service: Service, claim: PortClaim, why: string): StatusError {
  const { asked, ports } = claim;
  if (isHealthCheck(claim)) {
    const what = asked === undefined ? "a HealthCheck NodePort 0" : `requested HealthCheck NodePort ${asked}`;
    return newInternalError(new Error(`failed to allocate ${what}: ${why}`));
  }
  if (asked === undefined) return newInternalError(new Error(`failed to allocate a nodePort: ${why}`));
  return invalidService(
    service,
    collectFaults("spec", (fldPath) => {
      fldPath
        .at("ports")
        .item(ports[0] ?? 0)
        .at("nodePort")
        .invalid(asked, why);
    }),
  );
}
