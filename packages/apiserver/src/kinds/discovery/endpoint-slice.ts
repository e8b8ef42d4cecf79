// EndpointSlice: some of the addresses behind a service, all of one type.
import { childPath, type discoveryv1, fieldPath, itemPath } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { endpointSlices } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { ipWarnings } from "../shared/ip-address.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { checkEndpointSlice } from "./check-endpoint-slice.ts";

type EndpointSlice = discoveryv1.EndpointSlice;

const managerLabel = "endpointslice.kubernetes.io/managed-by";
/** They copy what pods and Endpoints say, and can do nothing about how it is spelled. */
const controllers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];
const most = 3;

export const endpointSliceRules: KindRules<EndpointSlice> = {
  resource: endpointSlices,
  metadataOnUpdate: ["whole"],
  generation(object, old) {
    const { metadata, ...rest } = object;
    const { metadata: oldMetadata, ...oldRest } = old;
    return !deepEqual(rest, oldRest) || !deepEqual(metadata.labels ?? {}, oldMetadata.labels ?? {});
  },
  defaults({ ports }) {
    for (const port of ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  prepareCreate(draft) {
    dropTopology(draft);
  },
  prepareUpdate(draft, old) {
    // That it was given counts as a change, though nothing of it is kept.
    if (dropTopology(draft)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: (slice) => collectObjectFaults((at) => checkEndpointSlice(slice, at)),
  validateUpdate: (slice, old) =>
    collectObjectFaults((at) => {
      checkEndpointSlice(slice, at, old);
      checkImmutable(slice.addressType, old.addressType, at("addressType"));
    }),
  warnings(slice, old) {
    const isOldType = old === undefined && slice.addressType === "FQDN";
    return [...(isOldType ? ["spec.addressType: FQDN endpoints are deprecated"] : []), ...addressWarnings(slice)];
  },
  printRow: ({ metadata, addressType, ports, endpoints }, { nowMs }) => [
    metadata.name,
    addressType,
    printSome((ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port)))),
    printSome((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

/** Topology has fields of its own since this version. Whether there was any. */
function dropTopology({ endpoints }: Draft<EndpointSlice>): boolean {
  const old = (endpoints ?? []).filter(({ deprecatedTopology }) => deprecatedTopology !== undefined);
  for (const endpoint of old) delete endpoint.deprecatedTopology;
  return old.length > 0;
}

function addressWarnings({ metadata, addressType, endpoints }: EndpointSlice): string[] {
  if (controllers.includes(own(metadata.labels, managerLabel) ?? "") || addressType === "FQDN") return [];
  return (endpoints ?? []).flatMap(({ addresses }, i) => {
    const path = childPath(itemPath(fieldPath("endpoints"), i), "addresses");
    return (addresses ?? []).flatMap((address, j) => ipWarnings(address, itemPath(path, j)));
  });
}

function printSome(texts: readonly string[]): string {
  const shown = texts.slice(0, most).join(",");
  if (texts.length > most) return `${shown} + ${texts.length - most} more...`;
  return shown === "" ? "<unset>" : shown;
}
