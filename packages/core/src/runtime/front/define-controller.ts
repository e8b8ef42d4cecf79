// Defines a controller in the style of controller-runtime: a function that reconciles one key.
//
//   const fooController = defineController({
//     name: "foo-controller",
//     for: foos,
//     owns: [deployments],
//     async reconcile({ key }, context) {
//       const foo = context.reader.get(foos, key);
//       if (foo === undefined) return;
//       await createOrUpdate(context, deployments, key, (draft) => setControllerReference({ ...draft, spec: specFor(foo) }, foo));
//     },
//   });
//
// The result is a `Controller` like any other: the same driver runs it, and its informers, metrics, RBAC rules and documentation are derived
// from it. The controller can write only what it declares; the default of `writes` covers the usual case.
//
// When `reconcile` returns, the key has succeeded and is added again after `requeueAfterMs`, if given. When it throws, conflicts included,
// the key is added again with backoff, unless the error is a TerminalError.
import { type KubernetesObject, type ObjectKey, type Resource, splitKey } from "../../api/index.ts";
import { type Predicate, procedureQueue, type QueueOptions } from "../../contract/for-drivers.ts";
import {
  type Access,
  type Controller,
  type ControllerParts,
  itself,
  newController,
  owned,
  type Served,
  statusVerbs,
  subresourceVerbs,
  verbs,
  type Watch,
} from "../../contract/index.ts";
import { type ReconcileContext, type ReconcileRequest, RunningReconcile } from "./reconcile-context.ts";

export interface ReconcileResult {
  /** When to reconcile the key again, even without a change. */
  readonly requeueAfterMs?: number | undefined;
  /**
   * Whether nobody waits for that requeue: a deadline that will hardly pass, or a look from time to time. A cluster in a test is settled although it is
   * still to come.
   */
  readonly isRoutine?: boolean | undefined;
  /** Not a valid field: it exists only so that the compiler's message names the right one. */
  readonly requeueAfter?: "there is no requeueAfter: return { requeueAfterMs }, in milliseconds";
  /** Not a valid field, for the same reason. */
  readonly requeue?: "there is no requeue: return { requeueAfterMs }, in milliseconds, or throw to retry with backoff";
}

export interface ControllerDefinition<T extends KubernetesObject = KubernetesObject>
  extends Omit<ControllerParts, "primary" | "ports" | "metrics">,
    Omit<QueueOptions, "everyMs"> {
  /** The resource whose keys are reconciled. Pass a watch (`itself(foos, { … })`) to select, filter or delay. */
  readonly for: Resource<T> | Watch;
  /** Resources it creates for the primary: a change adds the key of the controlling owner. Pass a watch (`owned(…)`) for options. */
  readonly owns?: readonly (Resource | Watch)[];
  /** Filters the changes of all watches, in addition to the predicate of each watch. */
  readonly when?: Predicate;
  /** What it reads from the server in addition to the watched resources. */
  readonly reads?: readonly Access[];
  /**
   * The writes that it may make; all others are refused. Unless given: patch and update of the primary and its status, update of its finalizers
   * subresource, and create, delete, patch and update of the resources in `owns`.
   */
  readonly writes?: readonly Access[];
  reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<ReconcileResult | undefined> | Promise<void>;
}

export function defineController<T extends KubernetesObject>(definition: ControllerDefinition<T>): Controller {
  const { name, owns = [], watches = [], reconcile, when } = definition;
  const self = isWatch(definition.for) ? definition.for : itself(definition.for);
  const own = owns.map((each) => (isWatch(each) ? each : owned(each)));
  const filtered = (all: readonly Watch[]) =>
    when === undefined ? all : all.map((watch) => withPredicate(watch, when));
  const fixed = [self, ...own];
  const fieldManager = { fieldManager: name };
  const { for: _for, owns: _owns, when: _when, reconcile: _reconcile, ...parts } = definition;
  const watched = typeof watches === "function" ? fixed : [...fixed, ...watches];
  return newController({
    ...parts,
    primary: self.resource,
    // The same identity is used for watches and reads, so a resource that may be watched may also be read.
    reads: [...usualReads(watched, typeof watches === "function"), ...(definition.reads ?? [])],
    writes: definition.writes ?? usualWrites(self.resource, own),
    watches:
      typeof watches === "function"
        ? (served: Served) => filtered([...fixed, ...watches(served)])
        : filtered([...fixed, ...watches]),
    queues: {
      [name]: procedureQueue({
        ...definition,
        procedure: (key, context) => {
          const { namespace, name: objectName } = splitKey(key);
          const request = { key: key as ObjectKey, namespace, name: objectName, failures: context.failures };
          return reconcile(request, new RunningReconcile(context, fieldManager));
        },
      }),
    },
  });
}

function isWatch(given: Resource | Watch): given is Watch {
  return "keysOf" in given;
}

function withPredicate(watch: Watch, when: Predicate): Watch {
  const own = watch.when;
  return { ...watch, when: own === undefined ? when : (change, snapshot) => when(change) && own(change, snapshot) };
}

function usualReads(watched: readonly Watch[], followsDiscovery: boolean): readonly Access[] {
  if (followsDiscovery) return [verbs("*", "get", "list")];
  return watched.map(({ resource }) => verbs(resource, "get", "list"));
}

/** Setting an ownerReference with blockOwnerDeletion needs update on the finalizers subresource of the owner. */
function usualWrites(primary: Resource, own: readonly Watch[]): readonly Access[] {
  return [
    verbs(primary, "patch", "update"),
    statusVerbs(primary, "patch", "update"),
    subresourceVerbs(primary, "finalizers", "update"),
    ...own.map(({ resource }) => verbs(resource, "create", "delete", "patch", "update")),
  ];
}
