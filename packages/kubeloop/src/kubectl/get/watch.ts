// `get -w`: prints what is there, then each change, until the signal aborts.
import { type KubernetesObject, StatusError, type Table } from "@kubeloop/core/api";
import { KubectlError } from "../kubectl-error.ts";
import { type AnyObject, ObjectPrinter } from "../object-printer.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { listObjects, listTables, objectsAt, tableClient, tablesAt } from "../requests.ts";
import { TabWriter } from "../tab-writer.ts";
import { TablePrinter } from "../table-printer.ts";
import { type NamedPlace, type Place, selectorsOf, type Targets } from "../targets.ts";
import type { KubectlWorld } from "../world.ts";
import { styleOf } from "./get.ts";
import type { GetOptions } from "./get-options.ts";

export async function watchObjects(
  targets: Targets,
  options: GetOptions,
  { client }: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const place = onlyOne(targets);
  const { output, selection } = options;
  const isTable = output === "table" || output === "wide";
  const source = isTable ? tableClient(client) : client;
  const print = isTable ? tablesPrinter(place, options) : objectsPrinter(options);
  const isShown = options.watch !== "only";

  const readAll = async (): Promise<string> => {
    if (place.name !== undefined) {
      const object = await (isTable ? tablesAt(source, place) : objectsAt(source, place)).get(place.name, signal);
      if (isShown) world.print(print([object]));
      // From now on, beginning with the object as it is, which is dropped below.
      return "0";
    }
    if (isTable) {
      let resourceVersion = "";
      for await (const table of listTables(source, place, selection, signal)) {
        if (isShown) world.print(print([table]));
        resourceVersion = table.metadata.resourceVersion ?? "";
      }
      return resourceVersion;
    }
    const { items, resourceVersion } = await listObjects(source, place, selection, signal);
    if (isShown) world.print(print(items));
    return resourceVersion;
  };

  const resourceVersion = await readAll();
  const { name } = place;
  const selectors = name === undefined ? selectorsOf(selection) : { fieldSelector: `metadata.name=${name}` };
  const events = (isTable ? tablesAt(source, place) : objectsAt(source, place)).watch(
    { ...selectors, resourceVersion, allowWatchBookmarks: false },
    signal,
  );
  let isKnown = name !== undefined;
  for await (const event of events) {
    if (event.type === "BOOKMARK") continue;
    if (event.type === "ERROR") throw new StatusError(event.object);
    if (!isKnown) world.print(print([event.object]));
    isKnown = false;
  }
}

function onlyOne(targets: Targets): Place & { readonly name?: string } {
  const places: readonly (Place | NamedPlace)[] = targets.are === "lists" ? targets.lists : targets.objects;
  const [place, ...others] = places;
  const types = new Set(places.map(({ resource }) => `${resource.apiVersion}/${resource.kind}`));
  if (types.size > 1) throw new KubectlError("you may only specify a single resource type");
  if (place === undefined || others.length > 0)
    throw new KubectlError("you may only watch a single resource or type of resource at a time");
  return place;
}

type Printer = (objects: readonly KubernetesObject[]) => string;

function tablesPrinter({ resource }: Place, options: GetOptions): Printer {
  const printer = new TablePrinter(styleOf(resource, options, options.showKind));
  const writer = new TabWriter();
  return (tables) => writer.print(tables.flatMap((table) => printer.print(table as unknown as Table)));
}

function objectsPrinter({ output, keepsManagedFields }: GetOptions): Printer {
  const printer = new ObjectPrinter(output === "table" || output === "wide" ? "yaml" : output, keepsManagedFields);
  return (objects) => objects.map((object) => printer.print(object as AnyObject)).join("");
}
