// The sample controller in the usual style: a function that looks at one Foo and makes the world so.
//
//   node examples/dist/sample-controller/reconcile-style.js --kubeconfig ~/.kube/config --leader-elect
import { isControlledBy } from "@kubeloop/core/api";
import { removeObject } from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import { defineController, ensure, type ReconcileContext, writeStatus } from "@kubeloop/core/runtime";
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

/** `ensure` writes only what differs from what is wanted, and leaves alone what the server or others have filled in. */
async function ensureDeployment(foo: Foo, context: ReconcileContext) {
  const there = context.reader.get(deployments, deploymentKeyOf(foo));
  if (there !== undefined && !isControlledBy(there, foo)) {
    context.recorder.event(foo, "Warning", "ErrResourceExists", existsMessage(foo));
    throw newNotOwned(foo);
  }
  return await ensure(context, deployments, newDeployment(foo));
}

if (process.argv[1] === import.meta.filename) await main(fooController);
