// The subsets of Endpoints in their one canonical form: ports that lead to the same addresses share a subset, addresses are in the order of their
// IPs, and what is not ready on one port is not ready on it even if somebody says both.
//
// Upstream orders subsets by a hash over uids. Here they are in the order of their first addresses: who compares must repack both sides, as
// upstream does, so the other order costs no write.
import type { corev1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { sortSubsetPorts } from "./go-order.ts";

type Subset = corev1.EndpointSubset;
type Address = corev1.EndpointAddress;
type Port = corev1.EndpointPort;

interface Offered {
  /** Undefined for addresses without ports. */
  readonly port: Port | undefined;
  /** Whether each address is ready on this port. */
  readonly ready: Map<Address, boolean>;
}

export function repackSubsets(subsets: readonly Subset[] | null | undefined): readonly Subset[] {
  // Each address once: pods that share an address, such as those on the network of their node, are told apart by their uids.
  const addresses = new Map<string, Address>();
  const byPort = new Map<string, Offered>();
  const offer = (port: Port | undefined, list: readonly Address[] | undefined, isReady: boolean) => {
    for (const each of list ?? []) {
      const key = addressKey(each);
      const address = addresses.get(key) ?? each;
      addresses.set(key, address);
      const portText = portKey(port);
      const offered = byPort.get(portText) ?? { port, ready: new Map<Address, boolean>() };
      byPort.set(portText, offered);
      offered.ready.set(address, isReady && offered.ready.get(address) !== false);
    }
  };
  for (const { addresses: ready, notReadyAddresses, ports } of subsets ?? []) {
    for (const port of ports === undefined || ports === null || ports.length === 0 ? [undefined] : ports) {
      offer(port, ready, true);
      offer(port, notReadyAddresses, false);
    }
  }
  const groups = new Map<string, { readonly ready: ReadonlyMap<Address, boolean>; readonly ports: Port[] }>();
  for (const { port, ready } of byPort.values()) {
    const key = [...ready]
      .map(([address, isReady]) => `${addressKey(address)} ${isReady}`)
      .toSorted()
      .join("\n");
    const group = groups.get(key) ?? { ready, ports: [] };
    groups.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  return [...groups.values()].map(toSubset).toSorted(bySubset);
}

/** Whether two lists of subsets mean the same. The versions of pods do not count, or each change of a pod would be one of its Endpoints. */
export function areSameSubsets(
  one: readonly Subset[] | null | undefined,
  other: readonly Subset[] | null | undefined,
): boolean {
  return deepEqual(repackSubsets(one).map(withoutVersions), repackSubsets(other).map(withoutVersions));
}

const addressKey = ({ ip, targetRef }: Address) => `${ip} ${targetRef?.uid ?? ""}`;

const portKey = (port: Port | undefined) =>
  port === undefined
    ? ""
    : JSON.stringify([port.name ?? "", port.port, port.protocol ?? "TCP", port.appProtocol ?? null]);

function toSubset({
  ready,
  ports,
}: {
  readonly ready: ReadonlyMap<Address, boolean>;
  readonly ports: readonly Port[];
}) {
  const listed = (isReady: boolean) =>
    [...ready]
      .filter(([, its]) => its === isReady)
      .map(([address]) => address)
      .toSorted(byAddress);
  const [addresses, notReadyAddresses] = [listed(true), listed(false)];
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports: sortSubsetPorts(ports) }),
  };
}

function byAddress(one: Address, other: Address): number {
  if (one.ip !== other.ip) return one.ip < other.ip ? -1 : 1;
  const [a = "", b = ""] = [one.targetRef?.uid, other.targetRef?.uid];
  return a < b ? -1 : a > b ? 1 : 0;
}

function bySubset(one: Subset, other: Subset): number {
  const textOf = ({ addresses = [], notReadyAddresses = [], ports = [] }: Subset) =>
    [...addresses, ...notReadyAddresses].slice(0, 1).map(addressKey).concat(ports.map(portKey)).join(" ");
  return textOf(one) < textOf(other) ? -1 : 1;
}

function withoutVersions(subset: Subset): Subset {
  const strip = (list: readonly Address[]) =>
    list.map((address) => {
      if (address.targetRef?.resourceVersion === undefined) return address;
      const { resourceVersion: _version, ...targetRef } = address.targetRef;
      return { ...address, targetRef };
    });
  const { addresses, notReadyAddresses, ...rest } = subset;
  return {
    ...rest,
    ...(addresses === undefined ? {} : { addresses: strip(addresses) }),
    ...(notReadyAddresses === undefined ? {} : { notReadyAddresses: strip(notReadyAddresses) }),
  };
}
