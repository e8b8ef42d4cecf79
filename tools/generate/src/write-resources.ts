// One constant per resource, tied to its type, each a short row of text that core's `api/resource.ts` reads:
//
//   group|version|kind|plural|singular|scope|short names|categories|verbs|list kind|schema|served|subresources
//
// `*` stands for the eight verbs of an ordinary resource. A subresource is `name=kind:verbs`; a kind that is the
// resource's own and the verbs get,patch,update are left out.
//
// A constant is named after the plural, with the kind's capitals. The best stable version of a resource has the bare
// name; any other version adds itself (`horizontalPodAutoscalersV1`); a later group with the same plural adds itself
// too (`eventsEvents` for events.k8s.io).
import { apiVersionOf, camelPlural, compareVersions, homeOf } from "./names.ts";
import { compareText } from "./openapi.ts";
import { header } from "./output.ts";
import type { ResourceRow, SubresourceRow } from "./resource-rows.ts";

const ordinaryVerbs = "create,delete,deletecollection,get,list,patch,update,watch";
const subresourceVerbs = "get,patch,update";

export function writeResources(rows: readonly ResourceRow[]): string {
  const names = constantNames(rows);
  const aliases = new Map<string, string>();
  const typeOf = (schemaName: string | undefined): string => {
    if (schemaName === undefined) return "KubernetesObject";
    const home = homeOf(schemaName);
    aliases.set(home.alias, `./types/${home.folder}/${home.version}.ts`);
    return `${home.alias}.${home.type}`;
  };
  const constants = rows.map((row) => {
    const subresources = row.subresources.map((sub) => `readonly ${sub.name}: ${typeOf(sub.schemaName)}`).join("; ");
    const types = `${typeOf(row.schemaName)}, ${subresources === "" ? "NoSubresources" : `{ ${subresources} }`}`;
    return `export const ${names.get(row) ?? ""} = /* @__PURE__ */ parseResource<${types}>(\n  "${toText(row)}",\n);\n`;
  });
  const imports = [...aliases].sort(([a], [b]) => compareText(a, b));
  const list = rows.map((row) => `  ${names.get(row) ?? ""},\n`).join("");
  const used = ["KubernetesObject", "NoSubresources"].filter((type) => constants.some((text) => text.includes(type)));
  const helpers = [...used.map((type) => `type ${type}`), "parseResource", "type Resource"].join(", ");
  return `${header}import { ${helpers} } from "../resource.ts";
${imports.map(([alias, file]) => `import type * as ${alias} from "${file}";\n`).join("")}
${constants.join("")}
/** In discovery's order; what a default server does not serve comes last. */
export const builtInResources: readonly Resource[] = [
${list}];
`;
}

export function constantNames(rows: readonly ResourceRow[]): ReadonlyMap<ResourceRow, string> {
  const names = new Map<ResourceRow, string>();
  const taken = new Map<string, string>();
  for (const row of rows) {
    const isStable = /^v\d+$/.test(row.version);
    const siblings = rows.filter((other) => other.group === row.group && other.plural === row.plural);
    const best = siblings.map((other) => other.version).sort(compareVersions)[0];
    const plural = camelPlural(row.kind, row.plural);
    const owner = taken.get(plural) ?? row.group;
    taken.set(plural, owner);
    const group =
      owner === row.group ? "" : capitalised(homeOf(row.schemaName ?? row.group).alias.replace(row.version, ""));
    names.set(row, `${plural}${group}${isStable && best === row.version ? "" : capitalised(row.version)}`);
  }
  return names;
}

function toText(row: ResourceRow): string {
  return [
    row.group,
    row.version,
    row.kind,
    row.plural,
    row.singular,
    row.namespaced ? "namespaced" : "cluster",
    row.shortNames.join(","),
    row.categories.join(","),
    row.verbs.join(",") === ordinaryVerbs ? "*" : row.verbs.join(","),
    row.listKind ?? "",
    row.schemaName ?? "",
    row.servedByDefault ? "default" : "optional",
    row.subresources.map((sub) => subresourceText(sub, row)).join(";"),
  ].join("|");
}

function subresourceText(sub: SubresourceRow, row: ResourceRow): string {
  const isOwnVersion = apiVersionOf(sub.kind) === apiVersionOf(row);
  const kind = isOwnVersion ? sub.kind.kind : `${apiVersionOf(sub.kind)}/${sub.kind.kind}`;
  const verbs = sub.verbs.join(",");
  return `${sub.name}${kind === row.kind ? "" : `=${kind}`}${verbs === subresourceVerbs ? "" : `:${verbs}`}`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
