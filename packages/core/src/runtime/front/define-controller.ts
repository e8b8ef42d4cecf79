// A controller in the usual style: a function that looks at one key and makes the world so.
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
// What comes out is a `Controller` like any other: the same driver runs it, and informers, metrics, RBAC and documentation are made from
// it. Only what it declares can be written; what that is goes without saying for the usual case (`writes`).
//
// What becomes of a key: returned, it is well, and looked at again after `requeueAfterMs` if given; thrown, it is tried again with
// back-off, conflicts included, unless it is a TerminalError.
import { type KubernetesObject, type ObjectKey, type Resource, splitKey } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import {
  type Access,
  and,
  type Controller,
  type ControllerParts,
  itself,
  owned,
  type Predicate,
  procedureQueue,
  type QueueOptions,
  type Served,
  statusVerbs,
  subresourceVerbs,
  verbs,
  type Watch,
  withQueues,
} from "../../contract/index.ts";
import { type ReconcileContext, type ReconcileRequest, reconcileContext } from "./reconcile-context.ts";

export interface ReconcileResult {
  /** When to look again although nothing will have happened. */
  readonly requeueAfterMs?: number | undefined;
}

export interface ControllerDefinition<T extends KubernetesObject = KubernetesObject>
  extends Omit<ControllerParts, "primary" | "ports">,
    Omit<QueueOptions, "everyMs"> {
  /** Whose keys are reconciled; as a watch (`itself(foos, { … })`) to select, filter or delay. */
  readonly for: Resource<T> | Watch;
  /** What is made for it: a change wakes the one in control; as a watch (`owned(…)`) to say more. */
  readonly owns?: readonly (Resource | Watch)[];
  /** Which changes count, of all watches; beside what each of them says. */
  readonly when?: Predicate;
  /**
   * What it writes; anything else is refused. Unless given: patches and updates of the object and its status, and everything with what it
   * owns.
   */
  readonly writes?: readonly Access[];
  reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<ReconcileResult | undefined> | Promise<void>;
}

export function defineController<T extends KubernetesObject>(definition: ControllerDefinition<T>): Controller {
  const { name, owns = [], watches = [], reconcile, when, namespaces } = definition;
  if (name === "") throw invalid("a controller has a name");
  if (namespaces?.length === 0) throw invalid(`${name} watches no namespace: leave namespaces out to watch all`);
  const self = isWatch(definition.for) ? definition.for : itself(definition.for);
  const own = owns.map((each) => (isWatch(each) ? each : owned(each)));
  const filtered = (all: readonly Watch[]) =>
    when === undefined ? all : all.map((watch) => withPredicate(watch, when));
  const fixed = [self, ...own];
  const { for: _for, owns: _owns, when: _when, reconcile: _reconcile, ...parts } = definition;
  return withQueues({
    ...parts,
    primary: self.resource,
    writes: definition.writes ?? usualWrites(self.resource, own),
    watches:
      typeof watches === "function"
        ? (served: Served) => filtered([...fixed, ...watches(served)])
        : filtered([...fixed, ...watches]),
    queues: {
      [name]: procedureQueue({
        ...definition,
        work: async (key, hands, signal) => {
          const request = { ...splitKey(key), key: key as ObjectKey, failures: hands.failures };
          const result = await reconcile(request, reconcileContext(hands, { fieldManager: name }, signal));
          return result ?? undefined;
        },
      }),
    },
  });
}

function isWatch(given: Resource | Watch): given is Watch {
  return "keysOf" in given;
}

function withPredicate(watch: Watch, when: Predicate): Watch {
  return { ...watch, when: watch.when === undefined ? when : and(when, watch.when) };
}

/** Owners' finalizers have to be writable for who sets references that hold back their deletion. */
function usualWrites(primary: Resource, own: readonly Watch[]): readonly Access[] {
  return [
    verbs(primary, "patch", "update"),
    statusVerbs(primary, "patch", "update"),
    subresourceVerbs(primary, "finalizers", "update"),
    ...own.map(({ resource }) => verbs(resource, "create", "delete", "patch", "update")),
  ];
}

function invalid(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
