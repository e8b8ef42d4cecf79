// What a Foo asks for, as pure functions: both styles of the controller decide by them.
import { type appsv1, controllerOf, keyOf, newControllerReference, objectKeyOf } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import { defineIndex } from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import type { Foo } from "./generated/samplecontroller.k8s.io/v1alpha1/foo.ts";

export function deploymentKeyOf({ metadata, spec }: Foo): string {
  return objectKeyOf(metadata.namespace ?? "", spec.deploymentName);
}

/** The owner reference is what brings changes of the Deployment back to the Foo, and takes it along when the Foo is deleted. */
export function newDeployment(foo: Foo): appsv1.Deployment {
  const { namespace = "", name = "" } = foo.metadata;
  const labels = { app: "nginx", controller: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name: foo.spec.deploymentName, ownerReferences: [newControllerReference(foo)] },
    spec: {
      replicas: foo.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx:latest" }] } },
    },
  };
}

export const deploymentsByFoo = defineIndex("foo", deployments, (deployment) => [controllerOf(deployment)?.uid ?? ""]);

/** Whoever gives a Foo another deploymentName does not want the old Deployment any more. */
export function isLeftOver(deployment: appsv1.Deployment, foo: Foo): boolean {
  return keyOf(deployment) !== deploymentKeyOf(foo) && deployment.metadata.deletionTimestamp === undefined;
}

export const syncedMessage = "Foo synced successfully";

export function existsMessage({ spec }: Foo): string {
  return `Resource "${spec.deploymentName}" already exists and is not managed by Foo`;
}

/** Tried again, later and later: somebody may take that Deployment out of the way. */
export function newNotOwned(foo: Foo): KubeloopError {
  return new KubeloopError(`deployment ${deploymentKeyOf(foo)} is not controlled by this foo`, { reason: "NotOwned" });
}
