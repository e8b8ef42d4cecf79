// `describe serviceaccount`.
import type { corev1 } from "@kubeloop/core/api";
import { Description, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";

const title = "Image pull secrets:";

export function describeServiceAccount(account: corev1.ServiceAccount, events: ShownEvents, nowMs: number): string {
  const { metadata, imagePullSecrets = [] } = account;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  if (imagePullSecrets.length === 0) to.line(0, title, "<none>");
  for (const [at, { name }] of imagePullSecrets.entries())
    to.line(0, at === 0 ? title : " ".repeat(title.length), name);
  writeEvents(to, events, nowMs);
  return to.toString();
}
