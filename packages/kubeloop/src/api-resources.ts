// `kubeloop api-resources`: the registry as a table, in kubectl's columns and order, so that it can be read beside what
// `kubectl api-resources` prints of a real server.
import { allResources, type Resource } from "@kubeloop/core/api";

export const outputs = ["table", "wide", "name", "json"] as const;
export type Output = (typeof outputs)[number];

export interface ApiResourcesOptions {
  readonly output: Output;
  readonly apiGroup?: string | undefined;
  readonly namespaced?: boolean | undefined;
  readonly verbs: readonly string[];
  readonly servedOnly: boolean;
}

export function printApiResources(options: ApiResourcesOptions): string {
  const rows = allResources().filter(
    (resource) =>
      (options.apiGroup === undefined || resource.group === options.apiGroup) &&
      (options.namespaced === undefined || resource.namespaced === options.namespaced) &&
      (!options.servedOnly || resource.servedByDefault) &&
      options.verbs.every((verb) => resource.verbs.includes(verb)),
  );
  const sorted = rows.toSorted(
    (a, b) => compareText(a.group, b.group) || compareText(a.plural, b.plural) || compareText(a.version, b.version),
  );
  switch (options.output) {
    case "name":
      return sorted.map((resource) => `${qualifiedName(resource)}\n`).join("");
    case "json":
      return `${JSON.stringify(sorted, null, 2)}\n`;
    case "table":
      return printTable(["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"], sorted.map(columnsOf));
    case "wide":
      return printTable(
        ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"],
        sorted.map((resource) => [...columnsOf(resource), resource.verbs.join(","), resource.categories.join(",")]),
      );
  }
}

function columnsOf(resource: Resource): string[] {
  return [
    resource.plural,
    resource.shortNames.join(","),
    resource.apiVersion,
    String(resource.namespaced),
    resource.kind,
  ];
}

function qualifiedName(resource: Resource): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)) + 3);
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("");
  return all.map((row) => `${line(row).trimEnd()}\n`).join("");
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
