// What stands under an object's name: its status and other parts that are written through a subresource of their own, its scale, and
// the few that are actions (binding, eviction, logs). Each is one file; this one knows which is which.
import {
  newGenericServerResponse,
  newMethodNotSupported,
  type StatusError,
  type Subresource,
} from "@kubeloop/core/api";
import type { Answer } from "../../wire/answer.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { get } from "../verbs/get.ts";
import { patch } from "../verbs/patch.ts";
import type { RequestScope } from "../verbs/request-scope.ts";
import { bindPod } from "../verbs/subresources/bind-pod.ts";
import { evictPod } from "../verbs/subresources/evict-pod.ts";
import { onNode, throughProxy } from "../verbs/subresources/on-node.ts";
import { scaleVerbs } from "../verbs/subresources/scale.ts";
import { createToken } from "../verbs/subresources/token.ts";
import { update } from "../verbs/update.ts";

type Verbs = Readonly<Record<string, (scope: RequestScope) => Promise<Answer>>>;

/** The object itself, seen through one of its subresources. */
const objectVerbs: Verbs = { get, update, patch };

const actions: Readonly<Record<string, Verbs>> = {
  "pods/binding": { create: bindPod },
  "pods/eviction": { create: evictPod },
  "pods/log": { get: onNode },
  "pods/exec": { get: onNode, create: onNode },
  "pods/attach": { get: onNode, create: onNode },
  "pods/portforward": { get: onNode, create: onNode },
  "pods/proxy": anyMethod(onNode),
  "nodes/proxy": anyMethod(throughProxy),
  "services/proxy": anyMethod(throughProxy),
  "serviceaccounts/token": { create: createToken },
};

export async function answerSubresource(scope: RequestScope, subresource: Subresource): Promise<Answer> {
  const { name } = subresource;
  const { served, info } = scope;
  const { verb } = info;
  const isCore = served.resource.group === "";
  const verbs: Verbs =
    (isCore ? actions[`${served.resource.plural}/${name}`] : undefined) ??
    (name === "scale" ? scaleVerbs : objectVerbs);
  const answer = scope.request.method === "HEAD" && name !== "proxy" ? undefined : verbs[verb];
  // Subresources open to the verbs they are known for; the others are routed by method.
  const isOpen = verbs !== objectVerbs || subresource.verbs.includes(verb);
  if (answer === undefined || !isOpen) throw notAllowed(served, verb);
  return await answer(scope);
}

/** In the words of a router, or of upstream's handler of custom resources, which have none. */
export function notAllowed({ codec, groupResource }: ServedResource, verb: string): StatusError {
  if (codec.isUnstructured) return newMethodNotSupported(groupResource, verb);
  return newGenericServerResponse({ code: 405, method: "" });
}

function anyMethod(answer: (scope: RequestScope) => Promise<Answer>): Verbs {
  return { get: answer, create: answer, update: answer, patch: answer, delete: answer };
}
