// What a Website is made of: a Deployment, a Service and an Ingress of its name. Functions of a Website; nothing here needs a cluster.
import type { appsv1, corev1, networkingv1 } from "@kubeloop/core/api";
import type { Wanted } from "@kubeloop/core/contract";
import type { Website } from "./generated/web.example.com/v1/website.ts";

const port = 80;

function labelsOf({ metadata }: Website) {
  return { "app.kubernetes.io/managed-by": "website-operator", "app.kubernetes.io/instance": metadata.name ?? "" };
}

function metadataOf(website: Website) {
  const { namespace = "", name = "" } = website.metadata;
  return { namespace, name, labels: labelsOf(website) };
}

export function wantedDeployment(website: Website): Wanted<appsv1.Deployment> {
  const labels = labelsOf(website);
  const container = { name: "web", image: website.spec.image, ports: [{ name: "http", containerPort: port }] };
  return {
    metadata: metadataOf(website),
    spec: {
      replicas: website.spec.replicas ?? 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

export function wantedService(website: Website): Wanted<corev1.Service> {
  return {
    metadata: metadataOf(website),
    spec: { selector: labelsOf(website), ports: [{ name: "http", port, targetPort: "http" }] },
  };
}

export function wantedIngress(website: Website): Wanted<networkingv1.Ingress> {
  const { name = "" } = website.metadata;
  const path = { path: "/", pathType: "Prefix", backend: { service: { name, port: { name: "http" } } } };
  return {
    metadata: metadataOf(website),
    spec: { rules: [{ host: website.spec.host, http: { paths: [path] } }] },
  };
}
