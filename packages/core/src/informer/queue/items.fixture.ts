// Small objects for the tests of queues, and short words for what comes out of one: "Added a=1", "Deleted ?a=1" for a
// tombstone, "ReplacedAll@5 a=1 b=2".
import { type Deleted, isFinalStateUnknown } from "../tombstone.ts";
import type { Delta } from "./deltas.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { Batch, BatchQueue } from "./queue.ts";

export interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string; readonly uid?: string };
  readonly value: number;
  /** How often it went through `countTransform`. */
  readonly transforms?: number;
}

export function item(name: string, value: number): Item {
  return { metadata: { name, resourceVersion: String(value) }, value };
}

export function items(...named: (readonly [name: string, value: number])[]): Item[] {
  return named.map(([name, value]) => item(name, value));
}

export function keyOfItem(object: Item): string {
  if (object.metadata.name === "") throw new Error("it has no name");
  return object.metadata.name;
}

export function countTransform(object: Item): Item {
  return { ...object, transforms: (object.transforms ?? 0) + 1 };
}

export function knownItems(...known: readonly Item[]): KnownObjects<Item> {
  return {
    listKeys: () => known.map(keyOfItem),
    getByKey: (key) => known.find((each) => keyOfItem(each) === key),
  };
}

export function print(delta: Delta<Item>): string {
  switch (delta.type) {
    case "ReplacedAll":
      return [`ReplacedAll@${delta.resourceVersion}`, ...delta.objects.map(printObject)].join(" ");
    case "SyncAll":
      return "SyncAll";
    case "Bookmark":
      return `Bookmark@${delta.resourceVersion}`;
    default:
      return `${delta.type} ${printObject(delta.object)}`;
  }
}

export function printObject(object: Deleted<Item>): string {
  if (!isFinalStateUnknown(object)) return `${object.metadata.name}=${object.value}`;
  return `?${object.key}=${object.object?.value ?? "unknown"}`;
}

export function printBatch(batch: Batch<Item> | undefined): string[] {
  return batch?.deltas.map(print) ?? [];
}

/** Takes one batch and is done with it. */
export function takeOne(queue: BatchQueue<Item>): string[] {
  const batch = queue.take();
  if (batch !== undefined) queue.done(batch);
  return printBatch(batch);
}

/** Takes all there is, batch by batch. */
export function drain(queue: BatchQueue<Item>): string[][] {
  const batches: string[][] = [];
  while (queue.size > 0) batches.push(takeOne(queue));
  return batches;
}
