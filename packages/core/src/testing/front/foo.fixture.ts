// A custom kind and controllers for it with a reconcile function, on a server in virtual time.
import { configMaps, deployments, nodes, pods, secrets } from "../../api/generated/resources.ts";
import { type corev1, defineResource, type KubernetesObject, newControllerReference } from "../../api/index.ts";
import { type Controller, cached, verbs } from "../../contract/index.ts";
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileRequest,
} from "../../runtime/index.ts";
import { Stage, type StageOptions } from "../contract/stage.fixture.ts";

export interface Foo extends KubernetesObject {
  readonly spec?: { readonly replicas?: number; readonly deploymentName?: string };
  readonly status?: { readonly availableReplicas?: number; readonly note?: string };
}

export const foos = defineResource<Foo>({
  group: "samplecontroller.k8s.io",
  version: "v1alpha1",
  kind: "Foo",
  plural: "foos",
  subresources: ["status", "scale"],
});

export function newFoo(name: string, more: Partial<Foo> = {}): Foo {
  const { metadata, ...rest } = more;
  return {
    apiVersion: "samplecontroller.k8s.io/v1alpha1",
    kind: "Foo",
    metadata: { namespace: "shop", name, ...metadata },
    ...rest,
  };
}

export function newConfigMap(name: string, more: Partial<corev1.ConfigMap> = {}): corev1.ConfigMap {
  const { metadata, ...rest } = more;
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name, ...metadata }, ...rest };
}

/** A config map with a generated name. */
export function newChild(foo: Foo, more: Partial<corev1.ConfigMap["metadata"]> = {}): corev1.ConfigMap {
  const { namespace = "", name = "" } = foo.metadata;
  const metadata = { namespace, generateName: `${name}-`, ownerReferences: [newControllerReference(foo)], ...more };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

export type Reconcile = (
  request: ReconcileRequest,
  context: ReconcileContext,
) => ReturnType<ControllerDefinition["reconcile"]>;

/** A controller of foos that owns config maps. The test may add other parts. */
export function onFoos(reconcile: Reconcile, more: Partial<ControllerDefinition<Foo>> = {}): Controller {
  return defineController<Foo>({ name: "foos", for: foos, owns: [configMaps], reconcile, ...more });
}

/** The parts of a controller that may read and write all resources. */
export const freely: Partial<ControllerDefinition<Foo>> = {
  watches: [cached(secrets)],
  reads: [verbs("*", "get", "list")],
  writes: [
    verbs("*", "create", "update", "patch", "delete", "deletecollection"),
    { resource: "*", subresource: "status", verbs: ["update", "patch"] },
    { resource: "*", subresource: "scale", verbs: ["update", "patch"] },
    { resource: "*", subresource: "eviction", verbs: ["create"] },
  ],
};

export function onStage(controller: Controller, options: Partial<StageOptions> = {}): Stage<undefined> {
  return new Stage(controller, {
    resources: [foos, configMaps, secrets, deployments, pods, nodes],
    objects: [[foos, newFoo("a")]],
    ...options,
  });
}

/** The value of one series; NaN if there is none. */
export function metric(stage: Stage<undefined>, name: string, labels = 'controller="foos"'): number {
  return Number(new RegExp(`^${name}\\{${labels}\\} (.*)$`, "m").exec(stage.metrics.print())?.[1]);
}
