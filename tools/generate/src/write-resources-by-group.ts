// The resources that can be cached, as a tree by group and version: what `factory.core.v1.pods` is read from. Groups have the
// names of client-go's factories, the first word of the API group; resources are called as in resources.ts, without what only
// told versions and groups apart. What cannot be listed and watched (reviews, bindings, componentstatuses) is left out.
import { camelPlural, compareVersions } from "./names.ts";
import { header } from "./output.ts";
import type { ResourceRow } from "./resource-rows.ts";
import { constantNames } from "./write-resources.ts";

/** Groups stand in the order of their first row, versions best first. */
export function writeResourcesByGroup(rows: readonly ResourceRow[]): string {
  const constants = constantNames(rows);
  const watchable = rows.filter((row) => row.verbs.includes("list") && row.verbs.includes("watch"));
  const names = groupNames(watchable.map((row) => row.group));
  const groups = groupBy(watchable, (row) => names.get(row.group) ?? row.group);
  const tree = [...groups].map(([group, ofGroup]) => ({
    group,
    versions: [...groupBy(ofGroup, (row) => row.version)].sort(([a], [b]) => compareVersions(a, b)),
  }));
  const write = (prefix: string, toValue: (constant: string) => string, end: string) =>
    tree
      .map(({ group, versions }) => {
        const texts = versions.map(([version, ofVersion]) => {
          const fields = ofVersion.map((row) => {
            const name = camelPlural(row.kind, row.plural);
            return `      ${prefix}${name}: ${toValue(constants.get(row) ?? "")}${end}\n`;
          });
          return `    ${prefix}${version}: {\n${fields.join("")}    }${end}\n`;
        });
        return `  ${prefix}${group}: {\n${texts.join("")}  }${end}\n`;
      })
      .join("");
  return `${header}import * as all from "./resources.ts";

export interface ResourcesByGroup {
${write("readonly ", (constant) => `typeof all.${constant}`, ";")}}

export const resourcesByGroup: ResourcesByGroup = {
${write("", (constant) => `all.${constant}`, ",")}};
`;
}

/** `rbac` for rbac.authorization.k8s.io, `core` for the group without a name; all words where the first is taken. */
export function groupNames(groups: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const group of groups) {
    if (names.has(group)) continue;
    const words = group === "" ? ["core"] : group.split(".");
    const short = camelCase(words.slice(0, 1));
    names.set(group, [...names.values()].includes(short) ? camelCase(words) : short);
  }
  return names;
}

function camelCase(words: readonly string[]): string {
  const [first = "", ...rest] = words.flatMap((word) => word.split("-"));
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
