// The sample controller in the usual style: a function that looks at one Foo and makes the world so.
//
//   node examples/dist/sample-controller/reconcile-style.js --kubeconfig ~/.kube/config --leader-elect
import { isControlledBy } from "@kubeloop/core/api";
import { removeObject } from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import { createOrUpdate, defineController, type ReconcileContext, writeStatus } from "@kubeloop/core/runtime";
import {
  deploymentKeyOf,
  deploymentsByFoo,
  existsMessage,
  isLeftOver,
  newDeployment,
  newNotOwned,
  syncedMessage,
} from "./foo-deployment.ts";
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
    if (result !== "unchanged") context.recorder.event(foo, "Normal", "Synced", syncedMessage);
  },
});

async function ensureDeployment(foo: Foo, context: ReconcileContext) {
  return await createOrUpdate(context, deployments, deploymentKeyOf(foo), (draft) => {
    const isNew = draft.metadata.uid === undefined;
    if (isNew) return newDeployment(foo);
    if (!isControlledBy(draft, foo)) {
      context.recorder.event(foo, "Warning", "ErrResourceExists", existsMessage(foo));
      throw newNotOwned(foo);
    }
    return { ...draft, spec: { ...draft.spec, replicas: foo.spec.replicas } };
  });
}

if (process.argv[1] === import.meta.filename) await main(fooController);
