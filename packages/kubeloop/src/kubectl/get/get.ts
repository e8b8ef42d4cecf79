// `kubeloop get`: prints what kubectl prints, without a kubectl. Tables are made by the server; this adds what the client adds.
import { isNotFound, type Table } from "@kubeloop/core/api";
import { isAborted } from "@kubeloop/core/base";
import { Failures } from "../failures.ts";
import { type AnyObject, kindName, listOf, ObjectPrinter } from "../object-printer.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { listObjects, listTables, objectsAt, tableClient, tablesAt } from "../requests.ts";
import { TabWriter } from "../tab-writer.ts";
import { TablePrinter } from "../table-printer.ts";
import { findTargets, type Place, type Targets } from "../targets.ts";
import type { KubectlWorld } from "../world.ts";
import type { GetOptions } from "./get-options.ts";
import { watchObjects } from "./watch.ts";

/** Failures are thrown after everything else has been printed. */
export async function get(
  options: GetOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  if (options.asked.by === "nothing") return;
  const targets = await findTargets(options.asked, options.selection, cluster, signal);
  if (options.watch !== "no") return await watchObjects(targets, options, cluster, world, signal);
  if (options.output === "table" || options.output === "wide")
    await getTables(targets, options, cluster, world, signal);
  else await getObjects(targets, options, cluster, world, signal);
}

interface SeenTable extends Place {
  readonly table: Table;
}

async function getTables(
  targets: Targets,
  options: GetOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const failures = new Failures();
  const seen: SeenTable[] = [];
  const tables = tableClient(cluster.client);
  await eachPlace(targets, failures, options, signal, {
    list: async (place) => {
      for await (const table of listTables(tables, place, options.selection, signal)) seen.push({ ...place, table });
    },
    object: async (place, name) => {
      seen.push({ ...place, table: await tablesAt(tables, place).get(name, signal) });
    },
  });
  const text = printTables(seen, options);
  world.print(text);
  if (text === "" && !options.ignoresNotFound && failures.isEmpty) {
    const isAllNamespaced = !options.selection.allNamespaces && seen.every(({ resource }) => resource.namespaced);
    const where = isAllNamespaced ? ` in ${cluster.namespace} namespace.` : "";
    world.complain(`No resources found${where}\n`);
  }
  failures.throw();
}

/** Tables of one type follow each other; an empty line parts the types. */
export function printTables(seen: readonly SeenTable[], options: GetOptions): string {
  const types = new Set(seen.map(({ resource }) => `${resource.apiVersion}/${resource.kind}`));
  const withKind = options.showKind || types.size > 1;
  const writer = new TabWriter();
  const parts: string[] = [];
  let printer: TablePrinter | undefined;
  let last: Place["resource"] | undefined;
  let lines: (readonly string[])[] = [];
  const flush = () => {
    const text = writer.print(lines);
    if (text !== "") parts.push(text);
    writer.forget();
    lines = [];
  };
  for (const { resource, table } of seen) {
    if (printer === undefined || last?.plural !== resource.plural || last.apiVersion !== resource.apiVersion) {
      flush();
      printer = new TablePrinter(styleOf(resource, options, withKind));
      last = resource;
    }
    lines.push(...printer.print(table));
  }
  flush();
  return parts.join(options.hasHeaders ? "\n" : "");
}

export function styleOf(resource: Place["resource"], options: GetOptions, withKind: boolean) {
  const { output, showLabels, labelColumns, hasHeaders, selection } = options;
  return {
    isWide: output === "wide",
    hasHeaders,
    withNamespace: selection.allNamespaces && resource.namespaced,
    showLabels,
    labelColumns,
    kind: withKind ? kindName(resource) : undefined,
  };
}

async function getObjects(
  targets: Targets,
  options: GetOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const failures = new Failures();
  const seen: AnyObject[] = [];
  const { client } = cluster;
  await eachPlace(targets, failures, options, signal, {
    list: async (place) => {
      seen.push(...(await listObjects(client, place, options.selection, signal)).items);
    },
    object: async (place, name) => {
      seen.push(await objectsAt(client, place).get(name, signal));
    },
  });
  const isSingle = targets.are === "objects" && targets.objects.length === 1;
  // One object that cannot be had is a failure and no empty list.
  if (isSingle) failures.throw();
  if (options.output === "table" || options.output === "wide") return;
  const printer = new ObjectPrinter(options.output, options.keepsManagedFields);
  const [only] = seen;
  const isNothing = seen.length === 0 && options.ignoresNotFound;
  if (!isNothing) world.print(printer.print(isSingle && only !== undefined ? only : listOf(seen)));
  failures.throw();
}

interface Readers {
  list(place: Place): Promise<void>;
  object(place: Place, name: string): Promise<void>;
}

async function eachPlace(
  targets: Targets,
  failures: Failures,
  options: GetOptions,
  signal: AbortSignal,
  read: Readers,
): Promise<void> {
  const steps =
    targets.are === "lists"
      ? targets.lists.map((place) => () => read.list(place))
      : targets.objects.map((place) => () => read.object(place, place.name));
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      if (!(options.ignoresNotFound && isNotFound(error))) failures.add(error);
    }
  }
}
