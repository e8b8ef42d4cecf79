// Who holds which address and port, as storage has it. An address is an IPAddress object; a port is a key of a collection that no resource
// is served from. Taking one is a write that expects nothing there, so that only one of two who take it can succeed.
import { type corev1, type KubernetesObject, type networkingv1, printTime } from "@kubeloop/core/api";
import { type AddressRange, addressRangeOf, canonicalIp } from "../kinds/core/services/address-range.ts";
import type { ClusterFamilies, IpFamily } from "../kinds/core/services/ip-families.ts";
import type { Draft } from "../kinds/kind-rules.ts";
import { parseIp } from "../kinds/shared/ip-address.ts";
import { revisionOf } from "../resources/registry/guaranteed-update.ts";
import type { WriteContext } from "../resources/registry/write-context.ts";
import type { Storage, StorageKey, Write } from "../storage/storage.ts";

/** What the server was started with: until there are ServiceCIDRs, and for what families there are. */
const defaultRange = "10.0.0.0/16";
const defaultName = "kubernetes";

const ipAddresses = { group: "networking.k8s.io", version: "v1", plural: "ipaddresses" };

export interface ServiceRanges {
  readonly families: ClusterFamilies;
  /** Those addresses can be taken from now. */
  readonly ranges: readonly AddressRange[];
}

export class AllocationStore {
  readonly #context: WriteContext;
  readonly #storage: Storage;

  constructor(context: WriteContext) {
    this.#context = context;
    this.#storage = context.server.storage;
  }

  async ranges(): Promise<ServiceRanges> {
    const { objects } = await this.#storage.list("networking.k8s.io/servicecidrs", {});
    const all = objects as readonly networkingv1.ServiceCIDR[];
    const own = all.find(({ metadata }) => metadata.name === defaultName)?.spec?.cidrs ?? [defaultRange];
    const texts = all.length === 0 ? own : all.filter(isReady).flatMap(({ spec }) => spec?.cidrs ?? []);
    return { families: familiesOf(own), ranges: texts.flatMap((text) => addressRangeOf(text) ?? []) };
  }

  async isIpTaken(ip: string): Promise<boolean> {
    return (await this.#storage.get(ipKey(ip))) !== undefined;
  }

  async isPortTaken(port: number): Promise<boolean> {
    return (await this.#storage.get(portKey(port))) !== undefined;
  }

  takeIp(ip: string, { metadata }: corev1.Service): Write {
    const { server } = this.#context;
    const { namespace = "", name = "" } = metadata;
    const draft: Draft<networkingv1.IPAddress> = {
      kind: "IPAddress",
      apiVersion: "networking.k8s.io/v1",
      metadata: {
        name: canonicalIp(ip),
        uid: server.newUid(),
        creationTimestamp: printTime(server.clock.now()),
        labels: {
          "ipaddress.kubernetes.io/ip-family": parseIp(ip)?.family ?? "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace, name } },
    };
    const served = server.catalogue.find(ipAddresses);
    if (served !== undefined) {
      const context = { ...this.#context, served, subresource: undefined };
      server.fieldManagers.recordBuiltIn({ context, draft, old: undefined, manager: "kube-apiserver" });
    }
    return { ...ipKey(ip), expected: 0, object: draft };
  }

  takePort(port: number): Write {
    const object = { kind: "RangeAllocation", apiVersion: "v1", metadata: { name: String(port) } };
    return { ...portKey(port), expected: 0, object };
  }

  /** Nothing where it is free already. */
  async freeIp(ip: string): Promise<readonly Write[]> {
    return await this.#gone(ipKey(ip));
  }

  async freePort(port: number): Promise<readonly Write[]> {
    return await this.#gone(portKey(port));
  }

  /** The Endpoints of this name, unless somebody holds them. */
  async dropEndpoints({ metadata }: KubernetesObject): Promise<readonly Write[]> {
    const storageKey = { collection: "endpoints", key: `${metadata.namespace ?? ""}/${metadata.name ?? ""}` };
    const endpoints = await this.#storage.get(storageKey);
    return (endpoints?.metadata.finalizers ?? []).length > 0 ? [] : await this.#gone(storageKey);
  }

  async #gone(storageKey: StorageKey): Promise<readonly Write[]> {
    const current = await this.#storage.get(storageKey);
    return current === undefined ? [] : [{ ...storageKey, expected: revisionOf(current), object: undefined }];
  }
}

const ipKey = (ip: string): StorageKey => ({ collection: "networking.k8s.io/ipaddresses", key: canonicalIp(ip) });
const portKey = (port: number): StorageKey => ({ collection: "ranges/servicenodeports", key: String(port) });

/** One that says nothing about itself counts: a cluster need not have a controller for it. */
function isReady({ metadata, status }: networkingv1.ServiceCIDR): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True";
}

function familiesOf(cidrs: readonly string[]): ClusterFamilies {
  const known = cidrs.flatMap((cidr) => addressRangeOf(cidr)?.family ?? []);
  const [primary = "IPv4", ...others] = [...new Set<IpFamily>(known)];
  return [primary, ...others];
}
