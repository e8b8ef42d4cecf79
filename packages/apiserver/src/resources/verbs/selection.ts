// Which objects a list or a watch is about: a namespace or all, labels, and the fields its kind lets one ask for.
import {
  type FieldSelector,
  isEverything,
  type KubernetesObject,
  mapFieldSelector,
  matchesFieldSelector,
  matchesSelector,
  newBadRequest,
  requiredFieldValue,
} from "@kubeloop/core/api";
import type { ConvertAll } from "../../wire/version-conversion.ts";
import type { ListOptions } from "../options/request-options.ts";
import { type ServedResource, selectableFieldsOf } from "../registry/served-resource.ts";
import type { RequestScope } from "./request-scope.ts";

export interface Selection {
  /** Of keys in storage. */
  readonly prefix: string;
  /** The one key there can be, if only one. */
  readonly onlyKey: string | undefined;
  /** Whether everything under the prefix is meant. */
  readonly isAll: boolean;
  /** Of stored objects. */
  matches(object: KubernetesObject): boolean;
  /** To be called with objects before `matches` is, where fields are looked at that must be converted in batches. */
  readonly convertAll?: ConvertAll;
}

export function selectionOf({ served, info }: RequestScope, { labels, fields }: ListOptions): Selection {
  const known = checkedFields(fields, served);
  const isNamespaced = served.resource.namespaced;
  const namespace = isNamespaced ? info.namespace || (requiredFieldValue(known, "metadata.namespace") ?? "") : "";
  // The old way to watch one object names it in the path.
  const named = info.verb === "watch" ? (info.parts[1] ?? "") : "";
  const name = requiredFieldValue(known, "metadata.name") ?? named;
  const isKeyKnown = name !== undefined && name !== "" && (!isNamespaced || namespace !== "");
  const hasLabels = !isEverything(labels);
  const hasFields = known.length > 0;
  const valuesOf = selectableFieldsOf(served)?.valuesOf;
  const matches = (object: KubernetesObject): boolean => {
    if (hasLabels && !matchesSelector(labels, object.metadata.labels ?? {})) return false;
    if (named !== "" && object.metadata.name !== named) return false;
    if (!hasFields) return true;
    let values: Readonly<Record<string, string>> | undefined;
    return matchesFieldSelector(known, (field) => {
      if (field === "metadata.name") return object.metadata.name;
      if (field === "metadata.namespace") return object.metadata.namespace ?? "";
      values ??= valuesOf?.(served.presentation.toServed(object)) ?? {};
      return values[field];
    });
  };
  const { convertAll } = served.presentation;
  const looksInside = known.some(({ field }) => field !== "metadata.name" && field !== "metadata.namespace");
  return {
    prefix: namespace === "" ? "" : `${namespace}/`,
    onlyKey: isKeyKnown ? (namespace === "" ? name : `${namespace}/${name}`) : undefined,
    isAll: !hasLabels && !hasFields && named === "",
    matches,
    ...(convertAll === undefined || !looksInside ? {} : { convertAll }),
  };
}

/** Spelled as the kind spells them now; throws 400 for what cannot be asked for. */
function checkedFields(fields: FieldSelector, served: ServedResource): FieldSelector {
  if (fields.length === 0) return fields;
  const own = selectableFieldsOf(served);
  const names = new Set(["metadata.name", ...(own?.hasNamespace === false ? [] : ["metadata.namespace"])]);
  for (const name of own?.names ?? []) names.add(name);
  return mapFieldSelector(fields, (name, value) => {
    const current = own?.aliases?.[name] ?? name;
    if (!names.has(current)) throw newBadRequest(unknownField(name, own?.unknownText));
    return { field: current, value };
  });
}

function unknownField(name: string, unknownText: ((name: string) => string) | undefined): string {
  if (unknownText !== undefined) return unknownText(name);
  return `${JSON.stringify(name)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
