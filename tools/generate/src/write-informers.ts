// One module for each group and version, with `newPodInformer` and `newFilteredPodInformer` for every kind that can be listed and watched: what
// client-go generates into `informers/<group>/<version>`. Each is one call of core's `newInformerOf`, so nothing stands there sixty times.
import { compareVersions, homeOf } from "./names.ts";
import { compareText } from "./openapi.ts";
import { header, type OutputFiles } from "./output.ts";
import type { ResourceRow } from "./resource-rows.ts";
import { constantNames } from "./write-resources.ts";

/** Paths are relative to the informer's `generated` folder; groups are called as in `types`. */
export function writeInformers(rows: readonly ResourceRow[]): OutputFiles {
  const constants = constantNames(rows);
  const files = new Map<string, { readonly row: ResourceRow; readonly type: string }[]>();
  for (const row of rows) {
    if (row.schemaName === undefined || !row.verbs.includes("list") || !row.verbs.includes("watch")) continue;
    const { folder, type } = homeOf(row.schemaName);
    const path = `${folder}/${row.version}.ts`;
    files.set(path, [...(files.get(path) ?? []), { row, type }]);
  }
  const paths = [...files.keys()].sort(comparePaths);
  return new Map(paths.map((path) => [path, writeFile(path, files.get(path) ?? [], constants)]));
}

function writeFile(
  path: string,
  kinds: readonly { readonly row: ResourceRow; readonly type: string }[],
  constants: ReadonlyMap<ResourceRow, string>,
): string {
  const sorted = [...kinds].sort((a, b) => compareText(a.row.kind, b.row.kind));
  const api = "../../../api/generated";
  const functions = sorted.map(({ row, type }) => {
    const constant = `resources.${constants.get(row) ?? ""}`;
    return `export const new${row.kind}Informer: NewResourceInformer<types.${type}> =
  /* @__PURE__ */ newInformerOf(${constant});
export const newFiltered${row.kind}Informer: NewFilteredResourceInformer<types.${type}> =
  /* @__PURE__ */ newFilteredInformerOf(${constant});
`;
  });
  return `${header}import * as resources from "${api}/resources.ts";
import type * as types from "${api}/types/${path}";
import {
  type NewFilteredResourceInformer,
  type NewResourceInformer,
  newFilteredInformerOf,
  newInformerOf,
} from "../../factory/new-resource-informer.ts";

${functions.join("\n")}`;
}

function comparePaths(a: string, b: string): number {
  const [[folderOfA = "", versionOfA = ""], [folderOfB = "", versionOfB = ""]] = [a.split("/"), b.split("/")];
  return compareText(folderOfA, folderOfB) || compareVersions(versionOfA.slice(0, -3), versionOfB.slice(0, -3));
}
