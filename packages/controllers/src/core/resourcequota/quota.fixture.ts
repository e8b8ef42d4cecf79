// Quotas and what is served, for the tests of the resourcequota controller.
import { type corev1, defineResource, type KubernetesObject, type Resource } from "@kubeloop/core/api";
import type { Served } from "@kubeloop/core/contract";
import {
  configMaps,
  deployments,
  deviceClasses,
  events,
  namespaces,
  persistentVolumeClaims,
  pods,
  resourceClaims,
  resourceQuotas,
  secrets,
  services,
} from "@kubeloop/core/resources";
import { stored } from "@kubeloop/core/testing";

export const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });

export const newServed = (...resources: readonly Resource[]): Served => ({
  groups: [
    { name: "", preferredVersion: "v1" },
    { name: "apps", preferredVersion: "v1" },
    { name: "example.com", preferredVersion: "v1" },
    { name: "resource.k8s.io", preferredVersion: "v1" },
  ],
  resources,
  failures: new Map(),
});

export const served = newServed(
  pods,
  services,
  persistentVolumeClaims,
  secrets,
  configMaps,
  resourceQuotas,
  deployments,
  resourceClaims,
  deviceClasses,
  widgets,
  namespaces,
  events,
);

interface QuotaFacts extends Partial<corev1.ResourceQuotaSpec> {
  readonly name?: string;
  readonly status?: corev1.ResourceQuotaStatus;
}

export function newQuota(hard: Readonly<Record<string, string>>, facts: QuotaFacts = {}): corev1.ResourceQuota {
  const { name = "quota", status, ...spec } = facts;
  return stored<corev1.ResourceQuota>({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name, namespace: "shop" },
    spec: { hard, ...spec },
    ...(status === undefined ? {} : { status }),
  });
}

export const newSecretIn = (namespace: string, name: string): KubernetesObject =>
  stored({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace } });
