// What the arguments of a command ask for: whole types (`pods,svc`), names of a type (`pod a b`), or objects (`pod/a svc/b`). Pure: which
// types there are is the server's word, and looked up later.
import { KubectlError } from "./kubectl-error.ts";

export interface TypeAndName {
  readonly type: string;
  readonly name: string;
}

export type AskedObjects =
  | { readonly by: "nothing" }
  | { readonly by: "type"; readonly types: readonly string[] }
  | { readonly by: "name"; readonly objects: readonly TypeAndName[] };

export function askedObjects(args: readonly string[]): AskedObjects {
  const [first, ...names] = args;
  if (first === undefined) return { by: "nothing" };
  const combined = args.filter((arg) => arg.includes("/")).length;
  if (combined > 0) {
    if (combined < args.length) throw new KubectlError(mixed);
    return { by: "name", objects: args.map(splitObject) };
  }
  const types = splitTypes(first);
  if (names.length === 0) return { by: "type", types };
  return { by: "name", objects: types.flatMap((type) => names.map((name) => ({ type, name }))) };
}

/** `pods,,svc` is `pods,svc`. */
function splitTypes(text: string): readonly string[] {
  return text.split(",").filter((type) => type !== "");
}

function splitObject(arg: string): TypeAndName {
  const [type = "", name = "", ...more] = arg.split("/");
  if (more.length > 0) throw new KubectlError("arguments in resource/name form may not have more than one slash");
  if (name === "" || splitTypes(type).length !== 1)
    throw new KubectlError("arguments in resource/name form must have a single resource and name");
  return { type, name };
}

const mixed =
  "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubeloop get resource/<resource_name>' instead of 'kubeloop get resource resource/<resource_name>'";
