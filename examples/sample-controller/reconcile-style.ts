// The sample controller in the usual style: a function that looks at one Foo and makes the world so.
//
//   node examples/sample-controller/dist/reconcile-style.js --kubeconfig ~/.kube/config --leader-elect
import { type appsv1, isControlledBy } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import { removeObject } from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import { createOrUpdate, defineController, type ReconcileContext, writeStatus } from "@kubeloop/core/runtime";
import { deploymentKeyOf, deploymentsByFoo, isLeftOver, newDeployment, told } from "./foo-deployment.ts";
import { type Foo, foos } from "./generated/samplecontroller.k8s.io/v1alpha1/foo.ts";
import { main } from "./run-operator.ts";

export const fooController = defineController<Foo>({
  name: "sample-controller",
  for: foos,
  owns: [deployments],
  indexes: [deploymentsByFoo],
  workers: 2,
  async reconcile({ key }, context) {
    const foo = context.reader.get(foos, key);
    // What is deleted needs nothing from us: the garbage collector follows the owner references.
    if (foo === undefined || foo.metadata.deletionTimestamp !== undefined) return;
    const { object: deployment, result } = await ensureDeployment(foo, context);
    for (const old of context.reader.byIndex(deploymentsByFoo, foo.metadata.uid ?? ""))
      if (isLeftOver(old, foo)) await context.perform(removeObject(deployments, old, { tolerates: ["NotFound"] }));
    await writeStatus(context, foos, foo, (draft) => {
      draft.status = { availableReplicas: deployment.status?.availableReplicas ?? 0 };
    });
    if (result !== "unchanged") tell(context, foo, told.synced);
  },
});

async function ensureDeployment(foo: Foo, context: ReconcileContext) {
  return await createOrUpdate(context, deployments, deploymentKeyOf(foo), (draft) => {
    const isNew = draft.metadata.uid === undefined;
    if (isNew) return newDeployment(foo);
    if (!isControlledBy(draft, foo)) throw refusal(draft, foo, context);
    return { ...draft, spec: { ...draft.spec, replicas: foo.spec.replicas } };
  });
}

/** Thrown, so that it is tried again, later and later: somebody may take that Deployment out of the way. */
function refusal(
  { metadata }: Pick<appsv1.Deployment, "metadata">,
  foo: Foo,
  context: ReconcileContext,
): KubeloopError {
  tell(context, foo, told.exists(foo));
  return new KubeloopError(`deployment ${metadata.name} is not controlled by this foo`, { reason: "NotOwned" });
}

function tell(
  { recorder }: ReconcileContext,
  foo: Foo,
  { type, reason, message }: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string },
): void {
  recorder.event(foo, type, reason, message);
}

if (process.argv[1] === import.meta.filename) await main(fooController);
