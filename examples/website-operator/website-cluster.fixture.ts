// A test cluster with the whole operator on it, in virtual time, and a DNS service that tests look into.
import { readFileSync } from "node:fs";
import type { apiextensionsv1, appsv1 } from "@kubeloop/core/api";
import { deployments, ingresses, services } from "@kubeloop/core/resources";
import { FakeCluster, newObject, type Overrides } from "@kubeloop/core/testing";
import { parse } from "yaml";
import { type Website, websites } from "./generated/web.example.com/v1/website.ts";
import { newOperator } from "./operator.ts";

export const key = "shop/blog";

/** Both Vitest and Jest have `__dirname`; `import.meta` is only known to ES modules. */
export function readManifest(name: string): unknown {
  return parse(readFileSync(`${__dirname}/${name}`, "utf8"));
}

export function newWebsite(overrides: Overrides<Website> = {}): Website {
  const spec = { image: "nginx:1.29", replicas: 2, host: "blog.example.com", ...overrides.spec };
  return newObject(websites, key, { ...overrides, spec });
}

/** Remembers what was removed; fails as long as `failure` is set. */
export class FakeDns {
  readonly removed: string[] = [];
  failure: Error | undefined;
  calls = 0;

  async remove(host: string): Promise<void> {
    this.calls++;
    if (this.failure !== undefined) throw this.failure;
    this.removed.push(host);
  }
}

export function openCluster({ website = newWebsite(), dns = new FakeDns() } = {}) {
  const cluster = new FakeCluster({
    resources: [websites, deployments, services, ingresses],
    crds: [readManifest("website-crd.yaml") as apiextensionsv1.CustomResourceDefinition],
    objects: [[websites, website]],
  });
  const { manager } = newOperator({ ...cluster.parts, dns });
  cluster.run((signal) => manager.run(signal));
  return { cluster, dns, manager, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

/** What kube-controller-manager and the nodes would do. */
export function startPods(deployment: appsv1.Deployment): appsv1.Deployment {
  const { generation = 1 } = deployment.metadata;
  const { replicas = 1 } = deployment.spec;
  return { ...deployment, status: { observedGeneration: generation, replicas, readyReplicas: replicas } };
}
