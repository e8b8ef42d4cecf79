// Questions that `decide` returns when the caches are not enough: a live get or list, discovery, or a request to a port. Questions are data.
// The driver gets the answers, then calls `observe` and `decide` again, and the context of `decide` has the answers.
//
//   const question = liveGet(jobs, key);
//   const fresh = context.answer(question);
//   if (fresh === undefined) return ask("is the job still there?", question);
//
// Two questions with the same id are the same question. The answer for an object that does not exist is undefined, which is not a failure.
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
  /** Never set: it only tells the compiler the type of the answer. */
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

/** Whether whole objects are read, or only their metadata. */
export type LiveView = "full" | "metadata";

export type Answer<A> =
  | { readonly ok: true; readonly value: A }
  /** The request failed, so there is no answer. */
  | { readonly ok: false; readonly error: Error };

/** A consistent list: all items are as of `resourceVersion`. */
export interface LiveList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export interface LiveListOptions {
  /** All namespaces unless given. */
  readonly namespace?: string;
  readonly labelSelector?: string | Selector;
  readonly fieldSelector?: string | FieldSelector;
}

interface MetadataOnly {
  readonly metadataOnly: true;
}

/** Asks the server for the current object, or only for its metadata. The answer is undefined if the object does not exist. */
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

/** Asks the server for a subresource of an object, such as `scale`. */
export function liveGetSubresource<S extends SubresourceTypes, Name extends keyof S & string>(
  resource: Resource<KubernetesObject, S>,
  key: string,
  subresource: Name,
): Question<S[Name] | undefined> {
  const id = `get ${resourceId(resource)}/${subresource} ${key}`;
  return { about: "object", id, resource, key, subresource, view: "full" };
}

/** Asks the server for a consistent list, of whole objects or only of their metadata. */
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

/** Asks the server which resources it serves now. Concurrent questions share one request. */
export function discover(): Question<Served> {
  return { about: "served", id: "served" };
}

export function askPort<Request, A>(port: Port<Request, A>, request: Request): Question<A> {
  return { about: "port", id: `port ${port.name} ${JSON.stringify(request)}`, port, request };
}

/** Answers by the id of their question. A driver collects them; a test provides them. */
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

  /** Returns undefined if the question has no answer yet. */
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

// `printSelector` prints a selector that selects nothing as "", which the server reads as a selector of everything.
function printLabels(selector: Selector): string {
  return selector.selects === "nothing" ? "nothing,!nothing" : printSelector(selector);
}
