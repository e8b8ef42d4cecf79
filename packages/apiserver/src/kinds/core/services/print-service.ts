// A service as a row: what it is, where it is reached from inside and from outside, under which ports.
import type { PrintContext } from "../../kind-rules.ts";
import { formatLabels } from "../../shared/labels.ts";
import { printAge } from "../../shared/print-age.ts";
import { type Service, specOf } from "./service-traits.ts";

export function printService(service: Service, { nowMs }: PrintContext): readonly unknown[] {
  const { metadata } = service;
  const { type = "", clusterIPs = [], ports = [], selector } = specOf(service);
  const portTexts = ports.map(({ port, nodePort = 0, protocol }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return [
    metadata.name,
    type,
    clusterIPs[0] ?? "<none>",
    printExternal(service),
    portTexts.join(",") || "<none>",
    printAge(metadata.creationTimestamp, nowMs),
    formatLabels(selector),
  ];
}

function printExternal(service: Service): string {
  const { type, externalIPs = [], externalName = "" } = specOf(service);
  switch (type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.join(",") || "<none>";
    case "LoadBalancer": {
      const points = (service.status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      const known = [...new Set(points.filter((point) => point !== ""))].toSorted();
      return [...known, ...externalIPs].join(",") || "<pending>";
    }
    case "ExternalName":
      return externalName;
    default:
      return "<unknown>";
  }
}
