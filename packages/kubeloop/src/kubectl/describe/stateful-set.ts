// `describe statefulset`: with the claims that its pods get.
import type { appsv1 } from "@kubeloop/core/api";
import { canonicalQuantity, fromLabelSelector, printSelector } from "@kubeloop/core/api";
import { storageClassOf } from "./claim.ts";
import type { WorkloadParts } from "./daemon-set.ts";
import { Description, pairsOf, writeAnnotations, writeLabels, writeList } from "./description.ts";
import { writeEvents } from "./events.ts";
import { writePodTemplate } from "./pod-template.ts";
import { printPodCounts } from "./replica-set.ts";
import { printLocalTime } from "./times.ts";
import { printGoList } from "./volume-writer.ts";

export function describeStatefulSet(set: appsv1.StatefulSet, parts: WorkloadParts, nowMs: number): string {
  const { metadata, spec, status } = set;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  to.line(0, "CreationTimestamp:", printLocalTime(metadata.creationTimestamp));
  to.line(0, "Selector:", printSelector(fromLabelSelector(spec.selector)));
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.line(0, "Replicas:", `${spec.replicas ?? 0} desired | ${status?.replicas ?? 0} total`);
  to.line(0, "Update Strategy:", spec.updateStrategy?.type);
  const { partition, maxUnavailable } = spec.updateStrategy?.rollingUpdate ?? {};
  if (partition !== undefined) to.line(1, "Partition:", partition);
  if (partition !== undefined && maxUnavailable !== undefined) to.line(1, "MaxUnavailable:", maxUnavailable);
  to.line(0, "Pods Status:", printPodCounts(parts.pods, metadata.uid));
  writePodTemplate(to, spec.template);
  writeClaimTemplates(to, spec.volumeClaimTemplates);
  writeEvents(to, parts.events, nowMs);
  return to.toString();
}

type ClaimTemplates = NonNullable<appsv1.StatefulSetSpec["volumeClaimTemplates"]>;

function writeClaimTemplates(to: Description, templates: ClaimTemplates = []): void {
  to.line(0, "Volume Claims:", ...(templates.length === 0 ? ["<none>"] : []));
  for (const { metadata = {}, spec = {} } of templates) {
    const storage = spec.resources?.requests?.["storage"];
    to.line(1, "Name:", metadata.name);
    to.line(1, "StorageClass:", storageClassOf(metadata, spec.storageClassName));
    writePairs(to, "Labels", metadata.labels);
    writePairs(to, "Annotations", metadata.annotations);
    to.line(1, "Capacity:", storage === undefined ? "<default>" : canonicalQuantity(storage));
    to.line(1, "Access Modes:", printGoList(spec.accessModes));
  }
}

/** The lines after the first have the indent, too. */
function writePairs(to: Description, title: string, texts: { readonly [key: string]: string } | undefined): void {
  const [first = "<none>", ...others] = pairsOf(texts);
  writeList(to, `  ${title}`, [first]);
  for (const other of others) to.line(1, "", other);
}
