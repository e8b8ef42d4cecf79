// `describe service`: with the first endpoints of each port.
import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import { Description, printLabels, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";

export interface ServiceParts {
  readonly endpointSlices: readonly discoveryv1.EndpointSlice[];
  readonly events: ShownEvents;
}

export function describeService(service: corev1.Service, parts: ServiceParts, nowMs: number): string {
  const { metadata, spec = {} } = service;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.line(0, "Selector:", printLabels(spec.selector));
  to.line(0, "Type:", spec.type);
  writeAddresses(to, service);
  for (const port of spec.ports ?? []) writePort(to, port, parts.endpointSlices);
  writePolicies(to, spec);
  writeEvents(to, parts.events, nowMs);
  return to.toString();
}

function writeAddresses(to: Description, { spec = {}, status }: corev1.Service): void {
  if (spec.ipFamilyPolicy !== undefined) to.line(0, "IP Family Policy:", spec.ipFamilyPolicy);
  to.line(0, "IP Families:", (spec.ipFamilies ?? []).join(",") || "<none>");
  to.line(0, "IP:", spec.clusterIP);
  to.line(0, "IPs:", (spec.clusterIPs ?? []).join(",") || "<none>");
  if ((spec.externalIPs ?? []).length > 0) to.line(0, "External IPs:", spec.externalIPs?.join(","));
  if ((spec.loadBalancerIP ?? "") !== "") to.line(0, "Desired LoadBalancer IP:", spec.loadBalancerIP);
  if ((spec.externalName ?? "") !== "") to.line(0, "External Name:", spec.externalName);
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip = "", ipMode, hostname = "" }) =>
    ip === "" ? hostname : `${ip}${ipMode === undefined ? "" : ` (${ipMode})`}`,
  );
  if (ingress.length > 0) to.line(0, "LoadBalancer Ingress:", ingress.join(", "));
}

function writePort(to: Description, port: corev1.ServicePort, slices: readonly discoveryv1.EndpointSlice[]): void {
  const { name = "", protocol = "", targetPort = 0, nodePort = 0, appProtocol } = port;
  const shown = name === "" ? "<unset>" : name;
  to.line(0, "Port:", shown, `${port.port}/${protocol}`);
  to.line(0, "TargetPort:", `${targetPort}/${protocol}`);
  if (appProtocol !== undefined) to.line(0, "AppProtocol:", appProtocol);
  if (nodePort !== 0) to.line(0, "NodePort:", shown, `${nodePort}/${protocol}`);
  to.line(0, "Endpoints:", printEndpoints(slices, name));
}

function writePolicies(to: Description, spec: corev1.ServiceSpec): void {
  const { externalTrafficPolicy = "", internalTrafficPolicy, healthCheckNodePort = 0 } = spec;
  to.line(0, "Session Affinity:", spec.sessionAffinity);
  if (externalTrafficPolicy !== "") to.line(0, "External Traffic Policy:", externalTrafficPolicy);
  if (internalTrafficPolicy !== undefined) to.line(0, "Internal Traffic Policy:", internalTrafficPolicy);
  if (healthCheckNodePort !== 0) to.line(0, "HealthCheck NodePort:", healthCheckNodePort);
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0) to.line(0, "LoadBalancer Source Ranges:", ranges.join(","));
  if (spec.trafficDistribution !== undefined) to.line(0, "Traffic Distribution:", spec.trafficDistribution);
}

const mostEndpoints = 3;

/** The ready ones of a port, by its name; slices without ports count for every port. */
export function printEndpoints(slices: readonly discoveryv1.EndpointSlice[], portName: string): string {
  if (slices.length === 0) return "<none>";
  // kubectl looks for room before it looks whether an endpoint is ready, and then has more to tell.
  let [shown, count, isFull] = [[] as string[], 0, false];
  for (const { ports = [], endpoints = [] } of slices) {
    const wanted = ports.length === 0 ? [undefined] : ports.filter(({ name = "" }) => name === portName);
    for (const port of wanted) {
      for (const { addresses, conditions } of endpoints) {
        if (shown.length === mostEndpoints) isFull = true;
        if (conditions?.ready === false) continue;
        if (!isFull) shown = [...shown, printEndpoint(addresses[0] ?? "", port?.port)];
        count++;
      }
    }
  }
  return isFull ? `${shown.join(",")} + ${count - mostEndpoints} more...` : shown.join(",");
}

function printEndpoint(address: string, port: number | undefined): string {
  if (port === undefined) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
