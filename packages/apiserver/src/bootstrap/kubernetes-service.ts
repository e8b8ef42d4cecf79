// The endpoints of the Service default/kubernetes, which is the server itself: an Endpoints object and an EndpointSlice with the address that the
// server advertises and the port it listens on, in the form of upstream's reconciler. Without an address both stay, and are empty.
import { isIPv6 } from "node:net";
import type { corev1, discoveryv1, KubernetesObject } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { LoopbackClient } from "./loopback-client.ts";

export interface AdvertisedAddress {
  readonly ip: string;
  readonly port: number;
}

const name = "kubernetes";
const metadata = { name, namespace: "default" };
const core = "/api/v1/namespaces/default";
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const portName = "https";

type Endpoints = corev1.Endpoints & KubernetesObject;
type EndpointSlice = discoveryv1.EndpointSlice & KubernetesObject;
type Service = corev1.Service & KubernetesObject;

/** Undefined when nobody can reach the server from outside any more. */
export async function reconcileKubernetesService(
  client: LoopbackClient,
  address: AdvertisedAddress | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (address !== undefined) await client.ensure({ collection: `${core}/services`, name }, withTarget(address), signal);
  await client.ensure({ collection: `${core}/endpoints`, name }, withSubsets(address), signal);
  const addressType = address !== undefined && isIPv6(address.ip) ? "IPv6" : "IPv4";
  const slice = await client.get<EndpointSlice>(`${slices}/${name}`, signal);
  // The type cannot be changed.
  if (slice !== undefined && slice.addressType !== addressType) await client.delete(`${slices}/${name}`, signal);
  await client.ensure({ collection: slices, name }, withEndpoints(address, addressType), signal);
}

/** The Service is made before anybody knows the port. */
const withTarget =
  ({ port }: AdvertisedAddress) =>
  (current: Service | undefined): Service | undefined => {
    const [only] = current?.spec?.ports ?? [];
    if (current === undefined || only === undefined || only.targetPort === port) return undefined;
    return { ...current, spec: { ...current.spec, ports: [{ ...only, targetPort: port }] } };
  };

const withSubsets =
  (address: AdvertisedAddress | undefined) =>
  (current: Endpoints | undefined): Endpoints | undefined => {
    const ports = address === undefined ? [] : [{ name: portName, port: address.port, protocol: "TCP" }];
    const subsets = address === undefined ? [] : [{ addresses: [{ ip: address.ip }], ports }];
    // Nobody is to mirror them: the slice is the server's, too.
    const labels = { ...current?.metadata.labels, "endpointslice.kubernetes.io/skip-mirror": "true" };
    if (current === undefined) {
      if (address === undefined) return undefined;
      return { kind: "Endpoints", apiVersion: "v1", metadata: { ...metadata, labels }, subsets } as Endpoints;
    }
    if (deepEqual(labels, current.metadata.labels) && deepEqual(subsets, current.subsets ?? [])) return undefined;
    return { ...current, metadata: { ...current.metadata, labels }, subsets } as Endpoints;
  };

const withEndpoints =
  (address: AdvertisedAddress | undefined, addressType: string) =>
  (current: EndpointSlice | undefined): EndpointSlice | undefined => {
    const ports = address === undefined ? [] : [{ name: portName, port: address.port, protocol: "TCP" }];
    const endpoints = address === undefined ? [] : [{ addresses: [address.ip], conditions: { ready: true } }];
    const labels = { "kubernetes.io/service-name": name };
    if (current === undefined) {
      if (address === undefined) return undefined;
      const head = { kind: "EndpointSlice", apiVersion: "discovery.k8s.io/v1", metadata: { ...metadata, labels } };
      return { ...head, addressType, endpoints, ports } as EndpointSlice;
    }
    const isSame =
      deepEqual(labels, current.metadata.labels) &&
      deepEqual(endpoints, current.endpoints ?? []) &&
      deepEqual(ports, current.ports ?? []);
    return isSame
      ? undefined
      : ({ ...current, metadata: { ...current.metadata, labels }, endpoints, ports } as EndpointSlice);
  };
