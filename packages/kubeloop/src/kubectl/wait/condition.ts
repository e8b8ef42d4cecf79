// What `kubeloop wait` waits for, and whether an object is so. Pure.

import { findJsonPath, type JsonPath, parseJsonPath } from "../json-path.ts";
import { KubectlError } from "../kubectl-error.ts";
import type { AnyObject } from "../object-printer.ts";

export type Condition =
  | { readonly is: "delete" }
  | { readonly is: "create" }
  | { readonly is: "condition"; readonly name: string; readonly value: string }
  | { readonly is: "path"; readonly path: JsonPath; readonly value: string | undefined };

export function parseCondition(text: string): Condition {
  const word = text.toLowerCase();
  if (word === "delete" || word === "create") return { is: word };
  if (text.startsWith("condition=")) {
    const [name = "", ...value] = text.slice("condition=".length).split("=");
    return { is: "condition", name, value: value.length === 0 ? "true" : value.join("=") };
  }
  if (text.startsWith("jsonpath=")) return pathCondition(text.slice("jsonpath=".length));
  throw new KubectlError(`unrecognized condition: ${JSON.stringify(text)}`);
}

function pathCondition(text: string): Condition {
  // A single = parts the path from its value; a filter has two.
  const [path = "", value, ...more] = text
    .replaceAll("==", "\0")
    .split("=")
    .map((part) => part.replaceAll("\0", "=="));
  if (more.length > 0)
    throw new KubectlError(
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
    );
  const wanted = value?.replace(/^['"]+|['"]+$/g, "");
  if (wanted === "")
    throw new KubectlError(
      "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    );
  return { is: "path", path: parseJsonPath(path), value: wanted };
}

/** Undefined is an object that is not there. Throws for a path that leads to what has no value. */
export function isMet(condition: Condition, object: AnyObject | undefined): boolean {
  if (condition.is === "delete") return object === undefined;
  if (object === undefined) return false;
  switch (condition.is) {
    case "create":
      return true;
    case "condition":
      return hasCondition(object, condition.name, condition.value);
    default:
      return hasValue(object, condition.path, condition.value);
  }
}

interface StatusCondition {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly observedGeneration?: number;
}

/** A condition about an older generation says nothing about this one. */
function hasCondition(object: AnyObject, name: string, value: string): boolean {
  const status = object["status"] as
    | { readonly conditions?: readonly StatusCondition[]; readonly observedGeneration?: number }
    | undefined;
  const found = status?.conditions?.find(({ type }) => isSame(type, name));
  if (found === undefined) return false;
  const observed = found.observedGeneration ?? status?.observedGeneration;
  const { generation } = object.metadata;
  if (generation !== undefined && observed !== undefined && observed < generation) return false;
  return isSame(found.status, value);
}

function hasValue(object: AnyObject, path: JsonPath, wanted: string | undefined): boolean {
  const [found, ...others] = findJsonPath(path, object);
  if (found === undefined) return false;
  if (others.length > 0) throw new KubectlError("given jsonpath expression matches more than one value");
  if (wanted === undefined) return true;
  if (typeof found === "object" && found !== null)
    throw new KubectlError("jsonpath leads to a nested object or list which is not supported");
  return (found === null ? "<nil>" : String(found)).trim() === wanted.trim();
}

function isSame(found: unknown, wanted: string): boolean {
  return typeof found === "string" && found.toLowerCase() === wanted.toLowerCase();
}
