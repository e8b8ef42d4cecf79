// Objects as `-o json`, `-o yaml` and `-o name` print them, one after the other. The book-keeping of field managers is left out.
import type { KubernetesObject } from "@kubeloop/core/api";
import { printJson } from "./print-json.ts";
import { printYaml } from "./print-yaml.ts";

export const objectFormats = ["json", "yaml", "name"] as const;
export type ObjectFormat = (typeof objectFormats)[number];

export type AnyObject = KubernetesObject & { readonly [field: string]: unknown };

/** A list without a kind of its own. */
export interface ObjectList {
  readonly apiVersion: "v1";
  readonly kind: "List";
  readonly metadata: { readonly resourceVersion: "" };
  readonly items: readonly AnyObject[];
}

export function listOf(items: readonly AnyObject[]): ObjectList {
  return { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items };
}

export class ObjectPrinter {
  readonly #format: ObjectFormat;
  readonly #keepsManagedFields: boolean;
  #count = 0;

  constructor(format: ObjectFormat, keepsManagedFields = false) {
    this.#format = format;
    this.#keepsManagedFields = keepsManagedFields;
  }

  print(object: AnyObject | ObjectList): string {
    if (this.#format === "name") return namesOf(object);
    const shown = this.#keepsManagedFields ? object : withoutManagedFields(object);
    if (this.#format === "json") return printJson(shown);
    return `${this.#count++ > 0 ? "---\n" : ""}${printYaml(shown)}`;
  }
}

/** `pod/web`, `deployment.apps/web`. */
export function printName(object: KubernetesObject): string {
  return `${kindName(object)}/${object.metadata.name ?? "<unknown>"}`;
}

/** `pod`, `deployment.apps`. */
export function kindName({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): string {
  const [group] = (apiVersion ?? "").split("/");
  const name = (kind ?? "").toLowerCase();
  return (apiVersion ?? "").includes("/") ? `${name}.${group}` : name;
}

function namesOf(object: AnyObject | ObjectList): string {
  const objects = isList(object) ? object.items : [object];
  return objects.map((one) => `${printName(one as KubernetesObject)}\n`).join("");
}

function isList(object: AnyObject | ObjectList): object is ObjectList {
  return object.kind === "List" && Array.isArray(object["items"]);
}

function withoutManagedFields(object: AnyObject | ObjectList): object {
  if (isList(object)) return { ...object, items: object.items.map(withoutManagedFields) };
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
