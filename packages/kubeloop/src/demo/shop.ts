// The objects of the demonstration: a small shop in a namespace of its own.

import type { Deployment } from "@kubeloop/core/types/apps/v1";
import type { ResourceQuota, Service } from "@kubeloop/core/types/core/v1";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";

export const shopNamespace = "shop";
/** Of all pods of the shop together. */
export const podLimit = 12;

export const shopDeployments: readonly Deployment[] = [deployment("web", 3), deployment("api", 2)];
export const shopServices: readonly Service[] = [service("web"), service("api")];

export const shopQuota: ResourceQuota = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "shop" },
  spec: { hard: { pods: String(podLimit) } },
};

export const shopBudget: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web" },
  spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
};

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const resources = { requests: { cpu: "100m", memory: "64Mi" } };
  const container = { name, image: `shop/${name}:1`, ports: [{ containerPort: 8080 }], resources };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

function service(name: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
  };
}
