// The sample controller as a contract: what it sees, what it decides from that, what it reports. All of it is pure; the runtime reads the
// caches before and carries the plan out after.
//
//   node examples/dist/sample-controller/contract-style.js --kubeconfig ~/.kube/config --leader-elect
import { type appsv1, isControlledBy } from "@kubeloop/core/api";
import {
  type Decision,
  editStatus,
  ensureObject,
  keyed,
  nothing,
  type Outcome,
  owned,
  type Plan,
  plan,
  recordEvent,
  removeObject,
  statusVerbs,
  subresourceVerbs,
  type View,
  verbs,
} from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
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

/** All there is to know about one Foo, at one moment. */
export interface Seen {
  readonly foo: Foo;
  readonly deployment: appsv1.Deployment | undefined;
  readonly leftOver: readonly appsv1.Deployment[];
}

export function observe(key: string, { snapshot }: View): Seen | undefined {
  const foo = snapshot.get(foos, key);
  // What is deleted needs nothing from us: the garbage collector follows the owner references.
  if (foo === undefined || foo.metadata.deletionTimestamp !== undefined) return undefined;
  const mine = snapshot.byIndex(deploymentsByFoo, foo.metadata.uid ?? "");
  return {
    foo,
    deployment: snapshot.get(deployments, deploymentKeyOf(foo)),
    leftOver: mine.filter((deployment) => isLeftOver(deployment, foo)),
  };
}

export function decide({ foo, deployment, leftOver }: Seen): Decision {
  const removals = leftOver.map((old) => removeObject(deployments, old, { tolerates: ["NotFound"] }));
  if (deployment !== undefined && !isControlledBy(deployment, foo)) {
    const event = recordEvent(foo, { type: "Warning", reason: "ErrResourceExists", message: existsMessage(foo) });
    return plan("not ours", [[event]], { unfinished: newNotOwned(foo) });
  }
  const write = ensureObject(deployments, deployment, newDeployment(foo));
  if (write === undefined && removals.length === 0) return nothing("in balance");
  return plan("put it right", [write === undefined ? [] : [write], removals]);
}

export function report({ foo, deployment: before }: Seen, outcome: Outcome): Plan | undefined {
  const key = deploymentKeyOf(foo);
  const deployment = outcome.objectOn(deployments, key) ?? before;
  if (deployment === undefined || !isControlledBy(deployment, foo)) return undefined;
  const status = { availableReplicas: deployment.status?.availableReplicas ?? 0 };
  const edit = editStatus(foos, foo, { ...foo, status });
  const event = recordEvent(foo, { type: "Normal", reason: "Synced", message: syncedMessage });
  const isNews = outcome.isDoneOn(deployments, key);
  return plan("tell", [edit === undefined ? [] : [edit], isNews ? [event] : []]);
}

export const fooController = keyed<Seen>({
  name: "sample-controller",
  primary: foos,
  watches: [owned(deployments)],
  indexes: [deploymentsByFoo],
  writes: [
    verbs(deployments, "create", "patch", "delete"),
    statusVerbs(foos, "patch"),
    // Some clusters ask this of whoever sets references that hold back the deletion of a Foo.
    subresourceVerbs(foos, "finalizers", "update"),
  ],
  workers: 2,
  observe,
  decide,
  report,
});

if (process.argv[1] === import.meta.filename) await main(fooController);
