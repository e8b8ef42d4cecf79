// `describe configmap`: texts as they are, of bytes only how many.
import type { corev1 } from "@kubeloop/core/api";
import { Description, sortedKeys, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";

export function describeConfigMap(map: corev1.ConfigMap, events: ShownEvents, nowMs: number): string {
  const { metadata, data = {}, binaryData = {} } = map;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.write("\nData\n====\n");
  for (const key of sortedKeys(data)) to.write(`${key}:\n----\n${data[key]}\n\n`);
  to.write("\nBinaryData\n====\n");
  for (const key of sortedKeys(binaryData)) to.line(0, `${key}: ${byteCount(binaryData[key])} bytes`);
  to.write("\n");
  writeEvents(to, events, nowMs);
  return to.toString();
}

export function byteCount(base64: string | undefined): number {
  return Buffer.from(base64 ?? "", "base64").length;
}
