// A garbage collector without server, driver or clock: what the server has, what watches have shown, and the keys that wait, each moved by
// the test. So every order of events can be tried.
import { type KubernetesObject, keyOf, type metav1, type Resource } from "@kubeloop/core/api";
import { type Action, actionsOf, printAction, type Question, type Served, type Wake } from "@kubeloop/core/contract";
import {
  configMaps,
  deployments,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  nodes,
  pods,
} from "@kubeloop/core/resources";
import { Answers, answered, finishDecision, outcomeOf, plainSnapshot } from "@kubeloop/core/testing";
import { decideItem, type Findings } from "./decide.ts";
import { learnFromItem } from "./learn.ts";
import { OwnerGraph } from "./model.ts";
import { observeItem } from "./observe.ts";

export const servedResources = [
  pods,
  nodes,
  configMaps,
  deployments,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
] as const;

export const served: Served = {
  groups: [
    { name: "", preferredVersion: "v1" },
    { name: "apps", preferredVersion: "v1" },
    { name: "autoscaling", preferredVersion: "v2" },
  ],
  resources: servedResources,
  failures: new Map(),
};

const byKind = new Map<string, Resource>(servedResources.map((each) => [`${each.apiVersion} ${each.kind}`, each]));

/** An object with an owner reference to each of these, as they are named there. */
export function named(
  apiVersion: string,
  kind: string,
  key: string,
  {
    uid = key,
    owners = [],
    ...more
  }: Omit<metav1.ObjectMeta, "ownerReferences"> & { readonly owners?: readonly KubernetesObject[] } = {},
): KubernetesObject {
  const [name = "", namespace] = key.split("/").reverse();
  const ownerReferences = owners.map((owner) => referenceTo(owner));
  const place = namespace === undefined || namespace === "" ? {} : { namespace };
  return {
    apiVersion,
    kind,
    metadata: {
      ...place,
      name,
      uid,
      resourceVersion: "1",
      ...(owners.length === 0 ? {} : { ownerReferences }),
      ...more,
    },
  };
}

export function referenceTo(owner: KubernetesObject, more: Partial<metav1.OwnerReference> = {}): metav1.OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "", ...more };
}

export class Collector {
  readonly graph = new OwnerGraph();
  /** Keys that wait, in order. */
  readonly queue: string[] = [];
  /** Reads and writes since they were last taken. */
  #requests: string[] = [];
  #events: string[] = [];
  readonly #live = new Map<string, KubernetesObject>();

  /** On the server; no watch has shown it. */
  store(...objects: readonly KubernetesObject[]): this {
    for (const object of objects) this.#live.set(placeOf(resourceOfObject(object), keyOf(object)), object);
    return this;
  }

  erase(object: KubernetesObject): this {
    this.#live.delete(placeOf(resourceOfObject(object), keyOf(object)));
    return this;
  }

  /** A watch shows it; the server need not have it. */
  show(...objects: readonly KubernetesObject[]): this {
    for (const object of objects) {
      this.#wake(this.graph.absorb({ type: "add", object, resource: resourceOfObject(object), isInitial: false }));
    }
    return this;
  }

  showDeleted(object: KubernetesObject): this {
    this.#wake(this.graph.absorb({ type: "delete", object, resource: resourceOfObject(object) }));
    return this;
  }

  /** Looks at the first key that waits. Returns what it did, and why; a failure adds the key again, at the end. */
  step(failing: (action: Action) => Error | undefined = () => undefined): string {
    const key = this.queue.shift();
    if (key === undefined) throw new Error("no key waits");
    const answers = new Answers();
    const view = { snapshot: plainSnapshot([], { served }), model: this.graph, nowMs: 0 };
    for (;;) {
      const seen = observeItem(key, view);
      if (seen === undefined) return "nothing to look at";
      const decision = finishDecision<Findings>(
        decideItem(seen, { nowMs: 0, answer: (question) => answers.answer(question) }),
      );
      if (decision.kind === "ask") {
        for (const question of decision.questions) answers.give(question, answered(this.#read(question)));
        continue;
      }
      const outcome = outcomeOf(decision, (action) => {
        const error = failing(action);
        return error === undefined ? undefined : { status: "failed", error };
      });
      for (const action of actionsOf(decision)) {
        if (action.type === "event") this.#events.push(action.message);
        else this.#requests.push(printAction(action));
      }
      this.#wake(
        learnFromItem(this.graph, seen, { nowMs: 0, answer: (question) => answers.answer(question), outcome }),
      );
      if (decision.unfinished !== undefined || decision.requeueAfterMs !== undefined || outcome.hasFailed)
        this.#wake([key]);
      return decision.unfinished?.message ?? decision.reason;
    }
  }

  /** What was asked of the server since. */
  takeRequests(): readonly string[] {
    const taken = this.#requests;
    this.#requests = [];
    return taken;
  }

  takeEvents(): readonly string[] {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }

  /** "Pod ns1/a", and "virtual" where no watch has shown it. */
  nodes(): readonly string[] {
    return [...this.graph.nodes()].map(
      ({ identity: { apiVersion, kind, namespace, name }, isVirtual }) =>
        `${isVirtual ? "virtual " : ""}${apiVersion} ${kind} ${namespace}/${name}`,
    );
  }

  #read(question: Question): KubernetesObject | undefined {
    if (question.about !== "object") throw new Error("only objects are read");
    this.#requests.push(`get ${question.resource.plural} ${question.key}`);
    return this.#live.get(placeOf(question.resource, question.key));
  }

  #wake(wakes: readonly Wake[]): void {
    for (const wake of wakes) {
      const key = typeof wake === "string" ? wake : wake.key;
      if (!this.queue.includes(key)) this.queue.push(key);
    }
  }
}

function resourceOfObject({ apiVersion, kind }: KubernetesObject): Resource {
  const resource = byKind.get(`${apiVersion} ${kind}`);
  if (resource === undefined) throw new Error(`${apiVersion} ${kind} is not served`);
  return resource;
}

/** All versions of a resource hold the same objects. */
const placeOf = ({ group, plural }: Resource, key: string) => `${group}/${plural} ${key}`;
