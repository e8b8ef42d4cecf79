// Which values labels may have, by metric and label: from --allow-metric-labels ("metric,label" to "value1,value2"), or, without it, from the
// file that --allow-metric-labels-manifest names, a YAML map of the same. A file that cannot be used is a fault, in
// upstream's words.
import { readFile } from "node:fs/promises";
import { toError } from "@kubeloop/core/base";
import { parseJsonOrYaml } from "@kubeloop/core/client";
import { findAllowListFault } from "../options/index.ts";

export type LabelAllowLists = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export interface AllowListFlags {
  readonly allowListMapping: Readonly<Record<string, string>>;
  readonly allowListMappingManifest: string;
}

export async function readLabelAllowLists(flags: AllowListFlags): Promise<LabelAllowLists> {
  const { allowListMapping, allowListMappingManifest: path } = flags;
  return toAllowLists(path === "" ? allowListMapping : await readManifest(path));
}

async function readManifest(path: string): Promise<Readonly<Record<string, string>>> {
  const invalid = (what: string, cause?: unknown) => {
    const field = "metrics.allowListMappingManifest";
    return new Error(`${field}: Invalid value: ${JSON.stringify(path)}: ${what}`, { cause });
  };
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const { code } = error as { readonly code?: string };
    const why = code === "ENOENT" ? `open ${path}: no such file or directory` : toError(error).message;
    throw invalid(`failed to read allow list manifest: ${why}`, error);
  });
  const value = await parseJsonOrYaml(text).catch((error: unknown) => {
    throw invalid(`failed to parse allow list manifest: ${toError(error).message}`, error);
  });
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw invalid("failed to parse allow list manifest: no map");
  const mapping = Object.fromEntries(Object.entries(value).map(([key, values]) => [key, String(values)]));
  const fault = findAllowListFault(mapping, "metrics.allowListMappingManifest");
  if (fault !== undefined) throw invalid(`invalid allow list mapping in manifest: [${fault}]`);
  return mapping;
}

function toAllowLists(mapping: Readonly<Record<string, string>>): LabelAllowLists {
  const lists = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of Object.entries(mapping)) {
    const [metric = "", label = ""] = key.split(",");
    const labels = lists.get(metric) ?? new Map<string, ReadonlySet<string>>();
    lists.set(metric, labels.set(label, new Set(values.split(","))));
  }
  return lists;
}
