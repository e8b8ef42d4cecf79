// Everything a default server serves, each resource with the rules of its kind, or with none but its schema's.
import { allResources, type Resource, type TableColumnDefinition } from "@kubeloop/core/api";
import type { KindRules } from "../../kinds/kind-rules.ts";
import { pathName } from "./object-meta.ts";
import { builtInResource, type ServedResource } from "./served-resource.ts";

export interface BuiltInParts {
  /** Rules of kinds that have some; all others get none but the schema's. */
  readonly rules: readonly KindRules[];
  /** Columns by "group/version/plural", or "v1/plural" in the core group. */
  columnsOf(resource: Resource): readonly TableColumnDefinition[];
}

export function builtInResources({ rules: allRules, columnsOf }: BuiltInParts): readonly ServedResource[] {
  const served: ServedResource[] = [];
  const taken = new Set<string>();
  const take = (resource: Resource) => {
    taken.add(idOf(resource));
    return () => columnsOf(resource);
  };
  for (const rules of allRules) {
    served.push(builtInResource(rules.resource, rules, { columns: take(rules.resource) }));
    for (const version of rules.otherVersions ?? []) {
      served.push(builtInResource(version.resource, rules, { version, columns: take(version.resource) }));
    }
  }
  for (const resource of allResources()) {
    if (!resource.servedByDefault || taken.has(idOf(resource))) continue;
    served.push(builtInResource(resource, { resource, checkName: pathName }, { columns: take(resource) }));
  }
  return served;
}

const idOf = ({ apiVersion, plural }: Resource) => `${apiVersion}/${plural}`;
