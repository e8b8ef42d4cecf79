// Ingress: which hosts and paths from outside lead to which services.
import { fieldPath, itemPath, type networkingv1 } from "@kubeloop/core/api";
import { ingresses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { ipWarnings } from "../shared/ip-address.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus } from "../shared/status-metadata.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkIngressSpec, ingressOptions } from "./check-ingress.ts";
import { checkIngressStatus } from "./check-ingress-status.ts";

type Ingress = networkingv1.Ingress;

const classAnnotation = "kubernetes.io/ingress.class";
const mostHosts = 3;

export const ingressRules: KindRules<Ingress> = {
  resource: ingresses,
  metadataOnUpdate: ["changes", "whole"],
  generation: "spec",
  prepareCreate(draft) {
    draft.status = { loadBalancer: {} };
  },
  validate: ({ metadata, spec = {} }) =>
    collectObjectFaults((at) => {
      checkIngressSpec(spec, at("spec"));
      const annotated = own(metadata.annotations, classAnnotation);
      if (annotated === undefined || spec.ingressClassName === undefined) return;
      if (annotated === spec.ingressClassName) return;
      const why = "must match `ingressClassName` when both are specified";
      at("annotations").at(classAnnotation).invalid(annotated, why);
    }),
  validateUpdate: ({ spec = {} }, old) =>
    collectFaults("spec", (fldPath) => checkIngressSpec(spec, fldPath, ingressOptions(old.spec ?? {}))),
  warnings({ metadata, spec }, old) {
    if (old !== undefined || own(metadata.annotations, classAnnotation) === undefined) return [];
    if (spec?.ingressClassName !== undefined) return [];
    return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
  subresources: {
    status: {
      prepareUpdate: keepAllButStatus,
      validateUpdate: ({ status }, old) =>
        collectFaults("status", (fldPath) =>
          checkIngressStatus(status?.loadBalancer ?? {}, fldPath.at("loadBalancer"), old.status?.loadBalancer ?? {}),
        ),
      warnings: ({ status }) =>
        (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }, i) =>
          ip === "" ? [] : ipWarnings(ip, itemPath(fieldPath("status", "loadBalancer", "ingress"), i)),
        ),
    },
  },
  printRow: ({ metadata, spec = {}, status }, { nowMs }) => [
    metadata.name,
    spec.ingressClassName ?? "<none>",
    printHosts(spec.rules ?? []),
    printAddresses(status?.loadBalancer ?? {}),
    (spec.tls ?? []).length > 0 ? "80, 443" : "80",
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

/** Rules count for more even where they name no host. */
function printHosts(rules: readonly networkingv1.IngressRule[]): string {
  const hosts: string[] = [];
  let hasMore = false;
  for (const { host = "" } of rules) {
    if (hosts.length === mostHosts) hasMore = true;
    else if (host !== "") hosts.push(host);
  }
  const printed = hosts.join(",") || "*";
  return hasMore ? `${printed} + ${rules.length - mostHosts} more...` : printed;
}

function printAddresses({ ingress = [] }: networkingv1.IngressLoadBalancerStatus): string {
  const addresses = ingress.map(({ ip = "", hostname = "" }) => ip || hostname).filter((text) => text !== "");
  return [...new Set(addresses)].toSorted().join(",");
}
