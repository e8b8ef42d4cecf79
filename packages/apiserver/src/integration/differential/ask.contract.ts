// Steps in short: a request reads as one line of its scene.
import type { Answered, NextStep, Step } from "./request-script.contract.ts";

type More = Omit<Step, "title" | "path" | "method" | "body">;
type PatchForm = "merge" | "strategic" | "json";

export const get = (title: string, path: string, more: More = {}): Step => ({ title, path, ...more });

export const ask =
  (method: string) =>
  (title: string, path: string, body?: unknown, more: More = {}): Step => ({
    title,
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...more,
  });

export const post = ask("POST");
export const put = ask("PUT");
export const remove = ask("DELETE");

/** Of a form; a list of operations is JSON's own unless said otherwise. */
export const patch =
  (form: PatchForm) =>
  (title: string, path: string, body: unknown, more: More = {}): Step => ({
    title,
    method: "PATCH",
    path,
    body,
    ...more,
    headers: { "content-type": contentTypes[form], ...more.headers },
  });

export const merge = patch("merge");
export const strategic = patch("strategic");

const contentTypes: Readonly<Record<PatchForm, string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
};

/** A step made of what was answered to an earlier one. */
export const after =
  (title: string, next: (meta: AnsweredMeta, answer: Answered) => Step): NextStep =>
  (earlier) =>
    next(metaOf(earlier(title)), earlier(title));

export interface AnsweredMeta {
  readonly resourceVersion: string;
  readonly uid: string;
  readonly continue: string;
}

/** Of an object or a list; empty where there is none, so that a refusal shows as a difference and not as a crash. */
export function metaOf({ body }: Answered): AnsweredMeta {
  const none = { resourceVersion: "", uid: "", continue: "" };
  const { metadata } = (typeof body === "object" && body !== null ? body : {}) as { readonly metadata?: AnsweredMeta };
  return { ...none, ...metadata };
}

export const accept = (value: string) => ({ headers: { accept: value } });

/** A view of meta.k8s.io. */
export const as = (view: string, version = "v1") => accept(`application/json;as=${view};g=meta.k8s.io;v=${version}`);
