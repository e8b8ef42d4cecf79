// What `decide` asks when the caches are not enough: a live get or list, what the server serves, a port. Questions are data;
// the driver answers them and calls `decide` again, with the answers beside what was observed.
//
//   const question = liveGet(jobs, key);
//   const fresh = context.answer(question);
//   if (fresh === undefined) return ask("is the job still there?", question);
//
// Two questions with the same id are the same question. What is not there is answered with undefined, which is no failure.
import {
  type FieldSelector,
  type KubernetesObject,
  type PartialObjectMetadata,
  printFieldSelector,
  printSelector,
  type Resource,
  type Selector,
  type SubresourceTypes,
} from "../api/index.ts";
import type { Port } from "./ports.ts";
import type { Served } from "./served.ts";
import { resourceId } from "./snapshot.ts";

declare const answerType: unique symbol;

export type Question<A = unknown> = QuestionBody & {
  readonly id: string;
  /** Only for the compiler: never set. */
  readonly [answerType]?: A;
};

type QuestionBody =
  | {
      readonly about: "object";
      readonly resource: Resource;
      readonly key: string;
      readonly subresource: string | undefined;
      readonly view: LiveView;
    }
  | {
      readonly about: "list";
      readonly resource: Resource;
      readonly namespace: string | undefined;
      readonly labelSelector: string | undefined;
      readonly fieldSelector: string | undefined;
      readonly view: LiveView;
    }
  | { readonly about: "served" }
  | { readonly about: "port"; readonly port: Port; readonly request: unknown };

/** Whole objects, or their metadata alone. */
export type LiveView = "full" | "metadata";

export type Answer<A> =
  | { readonly ok: true; readonly value: A }
  /** It could not be answered. */
  | { readonly ok: false; readonly error: Error };

/** As of one moment: the version says which. */
export interface LiveList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export interface LiveListOptions {
  /** All unless given. */
  readonly namespace?: string;
  readonly labelSelector?: string | Selector;
  readonly fieldSelector?: string | FieldSelector;
}

interface MetadataOnly {
  readonly metadataOnly: true;
}

/** The object as the server has it now, or its metadata alone. */
export function liveGet(
  resource: Resource,
  key: string,
  options: MetadataOnly,
): Question<PartialObjectMetadata | undefined>;
export function liveGet<T extends KubernetesObject>(resource: Resource<T>, key: string): Question<T | undefined>;
export function liveGet(
  resource: Resource,
  key: string,
  options?: MetadataOnly,
): Question<KubernetesObject | undefined> {
  const view = options === undefined ? "full" : "metadata";
  const id = `get ${view} of ${resourceId(resource)} ${key}`;
  return { about: "object", id, resource, key, subresource: undefined, view };
}

/** A subresource of it: the scale of whatever has one. */
export function liveGetSubresource<S extends SubresourceTypes, Name extends keyof S & string>(
  resource: Resource<KubernetesObject, S>,
  key: string,
  subresource: Name,
): Question<S[Name] | undefined> {
  const id = `get ${resourceId(resource)}/${subresource} ${key}`;
  return { about: "object", id, resource, key, subresource, view: "full" };
}

/** A consistent list from the server, of whole objects or of their metadata. */
export function liveList(
  resource: Resource,
  options: LiveListOptions & MetadataOnly,
): Question<LiveList<PartialObjectMetadata>>;
export function liveList<T extends KubernetesObject>(
  resource: Resource<T>,
  options?: LiveListOptions,
): Question<LiveList<T>>;
export function liveList(
  resource: Resource,
  options: LiveListOptions & Partial<MetadataOnly> = {},
): Question<LiveList<KubernetesObject>> {
  return listQuestion(resource, options, options.metadataOnly === true ? "metadata" : "full");
}

/** What the server serves, read from the server now; concurrent readers share one request. */
export function discover(): Question<Served> {
  return { about: "served", id: "served" };
}

export function askPort<Request, A>(port: Port<Request, A>, request: Request): Question<A> {
  return { about: "port", id: `port ${port.name} ${JSON.stringify(request)}`, port, request };
}

/** Answers by question: what a driver collects, and what a test gives. */
export class Answers {
  readonly #byId = new Map<string, Answer<unknown>>();

  get size(): number {
    return this.#byId.size;
  }

  has(question: Question): boolean {
    return this.#byId.has(question.id);
  }

  give<A>(question: Question<A>, answer: Answer<A>): this {
    this.#byId.set(question.id, answer);
    return this;
  }

  /** Undefined when it was not asked yet. */
  answer<A>(question: Question<A>): Answer<A> | undefined {
    return this.#byId.get(question.id) as Answer<A> | undefined;
  }
}

export function answered<A>(value: A): Answer<A> {
  return { ok: true, value };
}

export function unanswered(error: Error): Answer<never> {
  return { ok: false, error };
}

function listQuestion<A>(resource: Resource, options: LiveListOptions, view: LiveView): Question<A> {
  const { namespace } = options;
  const labelSelector = toText(options.labelSelector, printLabels);
  const fieldSelector = toText(options.fieldSelector, printFieldSelector);
  const where = [namespace ?? "*", labelSelector ?? "", fieldSelector ?? ""].join(" ");
  const id = `list ${view} of ${resourceId(resource)} in ${where}`;
  return { about: "list", id, resource, namespace, labelSelector, fieldSelector, view };
}

function toText<S extends object>(selector: string | S | undefined, print: (selector: S) => string) {
  return typeof selector === "object" ? print(selector) : selector;
}

// A selector of nothing prints as nothing, which selects everything.
function printLabels(selector: Selector): string {
  return selector.selects === "nothing" ? "nothing,!nothing" : printSelector(selector);
}
