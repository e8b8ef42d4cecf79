// What a container gets where nothing is said, in pods and templates alike. In place; done twice it changes nothing.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { roundResourceList } from "../shared/quantities.ts";
import { imageTag } from "./image-reference.ts";

export function setContainerDefaults(container: Draft<corev1.Container>): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef !== undefined) valueFrom.fieldRef.apiVersion ||= "v1";
    if (valueFrom?.fileKeyRef !== undefined) valueFrom.fileKeyRef.optional ??= false;
  }
  roundResourceList(container.resources?.limits);
  roundResourceList(container.resources?.requests);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHttpDefaults(container.lifecycle?.postStart?.httpGet);
  setHttpDefaults(container.lifecycle?.preStop?.httpGet);
}

/** What may change under the same name is pulled each time. */
export function pullPolicyFor(image: string | undefined): string {
  return imageTag(image ?? "") === "latest" ? "Always" : "IfNotPresent";
}

function setProbeDefaults(probe: Draft<corev1.Probe> | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHttpDefaults(probe.httpGet);
  if (probe.grpc !== undefined) probe.grpc.service ??= "";
}

function setHttpDefaults(get: Draft<corev1.HTTPGetAction> | undefined): void {
  if (get === undefined) return;
  get.path ||= "/";
  get.scheme ||= "HTTP";
}
