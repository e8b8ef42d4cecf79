// The custom resource of the operator bench: its type, how to reach it, and its definition for the server.
// `website.go` of tools/real-cluster/manifests/go-clients is the same in Go.
import { type apiextensionsv1, defineResource, type KubernetesObject } from "@kubeloop/core/api";

export interface Website extends KubernetesObject {
  readonly spec: { readonly image: string; readonly replicas: number; readonly host: string };
  readonly status?: { readonly observedGeneration?: number; readonly url?: string };
}

const names = { kind: "Website", listKind: "WebsiteList", plural: "websites", singular: "website" };

export const websites = defineResource<Website>({
  group: "bench.kubeloop.dev",
  version: "v1",
  kind: names.kind,
  plural: names.plural,
  subresources: ["status"],
});

const text = { type: "string" };
const count = { type: "integer", format: "int32" };

export const websiteDefinition: apiextensionsv1.CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${names.plural}.${websites.group}` },
  spec: {
    group: websites.group,
    names,
    scope: "Namespaced",
    versions: [
      {
        name: websites.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { image: text, replicas: count, host: text } },
              status: {
                type: "object",
                properties: { observedGeneration: { type: "integer", format: "int64" }, url: text },
              },
            },
          },
        },
      },
    ],
  },
};

export function newWebsite(name: string): Website {
  const metadata = { namespace: "default", name };
  const spec = { image: `registry.invalid/web/${name}:1.2.3`, replicas: 2, host: `${name}.example.com` };
  return { apiVersion: websites.apiVersion, kind: websites.kind, metadata, spec };
}
