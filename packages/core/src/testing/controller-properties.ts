// Properties that every controller should have. They are checked on worlds, which are sets of plain objects, without a server:
//
// - declared: every action and every measurement of a plan is declared in the descriptor;
// - idempotent: after its plan was carried out on the world, the controller plans no more writes (after at most `maxPlans` plans);
// - bounded: no plan has more actions than `maxActions`;
// - total: no rule throws, not even for objects without some field that the server does not require.
//
//   expect(findPropertyFaults(replicaSetController, worlds, { maxActions: 500 })).toEqual([]);
//
// Questions are answered from the world itself. Not covered: the passing of time, ports (which always fail), and changes by admission.
import {
  type apiextensionsv1,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMerge,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type metav1,
  parseSelector,
  type Resource,
  type Slot,
  schemaOfKind,
} from "../api/index.ts";
import { toError } from "../base/index.ts";
import {
  Answers,
  answered,
  isCovered,
  isReadCovered,
  plainSnapshot,
  resourceId,
  unanswered,
} from "../contract/for-drivers.ts";
import {
  type Action,
  actionsOf,
  type Change,
  type Controller,
  type DecideContext,
  type Plan,
  printAction,
  type Question,
  type Served,
} from "../contract/index.ts";
import { type FillDefaults, newFillDefaults } from "./fake-cluster/fill-defaults.ts";
import { isOver, stateAfterCreate, stateAfterDelete, stateAfterUpdate } from "./fake-cluster/stored-state.ts";
import { finishDecision, outcomeOf } from "./rules.ts";

/** All objects that exist: pairs of a resource and its objects. */
export type World = readonly (readonly [Resource, readonly KubernetesObject[]])[];

export interface PropertyOptions {
  /** The maximum number of actions of a plan. */
  readonly maxActions: number;
  /** The maximum number of plans until the controller has nothing more to do; 1 unless given. */
  readonly maxPlans?: number;
  /** Wall time; the beginning of 2030 unless given. */
  readonly nowMs?: number;
  /** Definitions of custom kinds. Written objects of these kinds get the defaults of the schema. */
  readonly crds?: readonly apiextensionsv1.CustomResourceDefinition[];
  /** The result of discovery, for controllers that follow discovery. */
  readonly served?: Served;
  /**
   * The required fields of custom kinds, which the check for "total" therefore does not remove: `{ Foo: ["spec"] }`. The required fields of
   * built-in kinds are known.
   */
  readonly required?: Readonly<Record<string, readonly string[]>>;
  /** The keys to check, with their queues; unless given, the keys of all objects of the primary in the world. */
  readonly keys?: readonly { readonly queue: string; readonly key: string }[];
}

/** Returns one line for each fault. An empty list means that all properties hold. */
export function findPropertyFaults<M>(
  controller: Controller<M>,
  worlds: Iterable<World>,
  options: PropertyOptions,
): readonly string[] {
  const faults: string[] = [];
  let number = 0;
  for (const world of worlds) {
    const name = `world ${++number}`;
    for (const { queue, key } of options.keys ?? keysIn(world, controller)) {
      const complain = (what: string) => faults.push(`${name}, ${queue} ${key}: ${what}`);
      checkConvergence(controller, world, { queue, key }, options, complain);
      for (const [what, spoilt] of spoiltWorlds(world, options.required ?? {})) {
        const thrown = attempt(() => decideOn(controller, spoilt, { queue, key }, options));
        if (thrown.error !== undefined) complain(`not total, ${what}: ${thrown.error.message}`);
      }
    }
  }
  return faults;
}

const defaultNowMs = 1_893_456_000_000;

interface Place {
  readonly queue: string;
  readonly key: string;
}

function checkConvergence<M>(
  controller: Controller<M>,
  first: World,
  place: Place,
  options: PropertyOptions,
  complain: (what: string) => void,
): void {
  const { maxActions, maxPlans = 1 } = options;
  const fillDefaults = newFillDefaults(options.crds);
  const { nowMs = defaultNowMs } = options;
  let world = first;
  for (let plans = 0; ; plans++) {
    const { value: plan, error } = attempt(() => decideOn(controller, world, place, options));
    if (error !== undefined) {
      complain(`not total: ${error.message}`);
      return;
    }
    if (plan === undefined) return;
    for (const fault of undeclaredIn(plan, controller)) complain(fault);
    const actions = actionsOf(plan).filter(isWrite);
    if (actions.length > maxActions) complain(`not bounded: ${actions.length} actions where ${maxActions} are allowed`);
    if (actions.length === 0) return;
    if (plans === maxPlans) {
      complain(`not idempotent: after ${plans} plans still ${actions.map(printAction).join(", ")}`);
      return;
    }
    const server = (i: number): ServerSide => ({ suffix: `${plans}-${i}`, fillDefaults, nowMs });
    world = actions.reduce((changed, action, i) => carryOut(action, changed, server(i)), world);
  }
}

/** Returns the plan of the controller, including the plan of `report`; undefined if `observe` returned undefined. */
function decideOn<M>(
  controller: Controller<M>,
  world: World,
  place: Place,
  options: PropertyOptions,
): Plan | undefined {
  const { nowMs = defaultNowMs, served } = options;
  const snapshot = plainSnapshot(world, served === undefined ? {} : { served });
  const model = controller.newModel();
  for (const [resource, objects] of world) {
    for (const object of objects) {
      const change: Change = { type: "add", resource, object, isInitial: true };
      controller.absorb?.(model, change, { snapshot, nowMs });
    }
  }
  const work = controller.queues[place.queue]?.work;
  if (work?.kind !== "rules") return undefined;
  const { rules } = work;
  const answers = new Answers();
  const context: DecideContext = { nowMs, answer: (question) => answers.answer(question) };
  for (let round = 0; round < 10; round++) {
    const seen = rules.observe(place.key, { snapshot, model, nowMs });
    if (seen === undefined) return undefined;
    const decision = finishDecision(rules.decide(seen, context));
    if (decision.kind === "plan") {
      rules.reserve?.(model, seen, { ...context, plan: decision });
      const done = outcomeOf(decision);
      rules.learn?.(model, seen, { ...context, outcome: done });
      const told = rules.report?.(seen, done, context);
      const measures = [...(decision.measures ?? []), ...(told?.measures ?? [])];
      return { ...decision, steps: [...decision.steps, ...(told?.steps ?? [])], measures };
    }
    for (const question of decision.questions) {
      if (!isReadCovered(question, controller.reads)) throw new Error(`"${question.id}" is not among its reads`);
      answers.give(question, answerFrom(world, question, served));
    }
  }
  throw new Error("asks for ever");
}

function undeclaredIn<M>(plan: Plan, { writes, metrics }: Controller<M>): readonly string[] {
  const actions = actionsOf(plan).filter((action) => !isCovered(action, writes));
  const measures = (plan.measures ?? []).filter(({ metric }) => !metrics.includes(metric));
  return [
    ...actions.map((action) => `not declared: ${printAction(action)}`),
    ...measures.map(({ metric }) => `not declared: metric ${metric.definition.name}`),
  ];
}

function answerFrom(world: World, question: Question, served: Served | undefined) {
  const all = (resource: Resource) =>
    world.filter(([each]) => resourceId(each) === resourceId(resource)).flatMap(([, objects]) => objects);
  switch (question.about) {
    case "object":
      return answered(all(question.resource).find((object) => keyOf(object) === question.key));
    case "list": {
      const selector = parseSelector(question.labelSelector ?? "");
      const items = all(question.resource).filter(
        ({ metadata }) =>
          (question.namespace === undefined || metadata.namespace === question.namespace) &&
          matchesSelector(selector, metadata.labels),
      );
      return answered({ items, resourceVersion: "1" });
    }
    case "served":
      return served === undefined ? unanswered(new Error("nothing is served here")) : answered(served);
    case "port":
      return unanswered(new Error(`port ${question.port.name} is not here`));
  }
}

/** What a server adds to the objects that it receives. */
interface ServerSide {
  /** The suffix of generated names. */
  readonly suffix: string;
  readonly fillDefaults: FillDefaults;
  readonly nowMs: number;
}

/** Returns the world after an action on a server without admission. Defaults, generations and finalizers are handled as the server does. */
function carryOut(action: Action, world: World, { suffix, fillDefaults, nowMs }: ServerSide): World {
  if (!("resource" in action)) return world;
  const { resource: its } = action;
  const subresource = "subresource" in action ? (action.subresource ?? "") : "";
  const change = (edit: (objects: readonly KubernetesObject[]) => readonly KubernetesObject[]): World => {
    const id = resourceId(action.resource);
    const known = world.some(([resource]) => resourceId(resource) === id)
      ? world
      : [...world, [action.resource, []] as const];
    return known.map(
      ([resource, objects]) => [resource, resourceId(resource) === id ? edit(objects) : objects] as const,
    );
  };
  const replace = (key: string, edit: (object: KubernetesObject) => KubernetesObject) =>
    change((objects) =>
      objects.flatMap((object) => {
        if (keyOf(object) !== key) return [object];
        const sent = edit(object);
        const filled = subresource === "" ? fillDefaults(its, sent) : sent;
        const after = stateAfterUpdate({ resource: its, subresource }, object, filled);
        return isOver(after) ? [] : [after];
      }),
    );
  const removeAll = (
    isMeant: (object: KubernetesObject) => boolean,
    options: Pick<metav1.DeleteOptions, "propagationPolicy">,
  ) =>
    change((objects) =>
      objects.flatMap((object) => {
        if (!isMeant(object)) return [object];
        const after = stateAfterDelete(object, options, nowMs);
        return isOver(after) ? [] : [after];
      }),
    );
  switch (action.type) {
    case "create": {
      const { metadata } = action.object;
      const name = metadata.name || `${metadata.generateName ?? ""}${suffix}`;
      const made = { ...action.object, metadata: { ...metadata, name, uid: `uid-${name}`, resourceVersion: "1" } };
      return change((objects) => [...objects, stateAfterCreate(its, fillDefaults(its, made))]);
    }
    case "edit":
      return replace(keyOf(action.before), (object) => applyMergePatch(object, action.patch) as KubernetesObject);
    case "update":
      return replace(keyOf(action.object), () => action.object);
    case "patch":
      return replace(action.key, (object) => patched(object, action));
    case "delete":
      return removeAll((object) => keyOf(object) === action.key, action.options);
    case "deletecollection":
      return removeAll(({ metadata }) => metadata.namespace === action.namespace, action.options);
    default:
      return world;
  }
}

function patched(object: KubernetesObject, { patch }: Extract<Action, { readonly type: "patch" }>) {
  const from = object as never;
  switch (patch.type) {
    case "json":
      return applyJsonPatch(from, patch.operations) as unknown as KubernetesObject;
    case "merge":
      return applyMergePatch(from, patch.body as never) as unknown as KubernetesObject;
    case "strategic":
      return applyStrategicMerge(object, patch.body) as unknown as KubernetesObject;
  }
}

/** Yields copies of the world in which one object lacks one field. */
function* spoiltWorlds(
  world: World,
  required: NonNullable<PropertyOptions["required"]>,
): Iterable<readonly [string, World]> {
  for (const [at, [resource, objects]] of world.entries()) {
    for (const [i, object] of objects.entries()) {
      for (const [path, spoilt] of spoiltObjects(object)) {
        if (required[object.kind]?.includes(path)) continue;
        const others = objects.with(i, spoilt);
        yield [`${object.kind} ${keyOf(object)} without ${path}`, world.with(at, [resource, others])];
      }
    }
  }
}

/** The fields that every object from a server has. */
const kept: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "metadata",
  ...["name", "namespace", "uid", "resourceVersion", "creationTimestamp"].map((field) => `metadata.${field}`),
]);

function* spoiltObjects(object: KubernetesObject): Iterable<readonly [string, KubernetesObject]> {
  const schema = schemaOfKind(object);
  for (const [field, value] of Object.entries(object)) {
    const slot = schema?.fields.get(field);
    if (mayBeMissing(field, slot)) yield [field, without(object, field)];
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    const fields = slot?.schema.type === "object" ? slot.schema.fields : undefined;
    for (const inner of Object.keys(value)) {
      const path = `${field}.${inner}`;
      if (mayBeMissing(path, fields?.get(inner))) yield [path, { ...object, [field]: without(value, inner) }];
    }
  }
}

/** Whether a stored object may lack the field: the server does not require it, and does not add it if it is not set. */
function mayBeMissing(path: string, slot: Slot | undefined): boolean {
  return !kept.has(path) && slot?.isRequired !== true && slot?.isZeroDefault !== true;
}

function without<T extends object>(value: T, field: string): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== field)) as T;
}

function keysIn<M>(world: World, controller: Controller<M>): readonly Place[] {
  const [queue = ""] = Object.keys(controller.queues);
  const { primary } = controller;
  if (primary === undefined) return [{ queue, key: "" }];
  return world
    .filter(([resource]) => resourceId(resource) === resourceId(primary))
    .flatMap(([, objects]) => objects.map((object) => ({ queue, key: keyOf(object) })));
}

function attempt<T>(call: () => T): { readonly value?: T; readonly error?: Error } {
  try {
    return { value: call() };
  } catch (error) {
    return { error: toError(error) };
  }
}

const isWrite = (action: Action) => action.type !== "event" && action.type !== "port";
