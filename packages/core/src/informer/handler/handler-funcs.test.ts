import { describe, expect, test } from "vitest";
import type { ObjectKey } from "../../api/index.ts";
import { type Deleted, DeletedFinalStateUnknown, isFinalStateUnknown } from "../tombstone.ts";
import { filteringHandler, resourceEventHandlerFuncs } from "./handler-funcs.ts";
import type { EventDetails, ResourceEventHandler } from "./handlers.ts";

interface Item {
  readonly name: string;
  readonly isMine: boolean;
}
const mine: Item = { name: "mine", isMine: true };
const mineLater: Item = { name: "mine later", isMine: true };
const other: Item = { name: "other", isMine: false };
const otherLater: Item = { name: "other later", isMine: false };
const details: EventDetails = { cause: "change", isInInitialList: false };
const tombstone = (last: Item | undefined) => new DeletedFinalStateUnknown("shop/gone" as ObjectKey, last);

const nameOf = (gone: Deleted<Item>) =>
  isFinalStateUnknown(gone) ? `tombstone of ${gone.object?.name ?? "who knows"}` : gone.name;

function recording(): ResourceEventHandler<Item> & { readonly told: readonly string[] } {
  const told: string[] = [];
  return {
    told,
    onAdd: (object) => void told.push(`add ${object.name}`),
    onUpdate: (before, after) => void told.push(`update ${before.name} to ${after.name}`),
    onDelete: (gone) => void told.push(`delete ${nameOf(gone)}`),
  };
}

type Told = (handler: ResourceEventHandler<Item>) => void;

const rows: readonly [fact: string, tell: Told, heard: string | undefined][] = [
  ["an add it lets through", (handler) => handler.onAdd?.(mine, details), "add mine"],
  ["an add it holds back", (handler) => handler.onAdd?.(other, details), undefined],
  ["an update within", (handler) => handler.onUpdate?.(mine, mineLater, details), "update mine to mine later"],
  ["an update that enters is an add", (handler) => handler.onUpdate?.(other, mine, details), "add mine"],
  ["an update that leaves is a delete", (handler) => handler.onUpdate?.(mine, other, details), "delete mine"],
  ["an update outside", (handler) => handler.onUpdate?.(other, otherLater, details), undefined],
  ["a delete within", (handler) => handler.onDelete?.(mine, details), "delete mine"],
  ["a delete outside", (handler) => handler.onDelete?.(other, details), undefined],
  ["a tombstone of one within", (handler) => handler.onDelete?.(tombstone(mine), details), "delete tombstone of mine"],
  ["a tombstone of one outside", (handler) => handler.onDelete?.(tombstone(other), details), undefined],
  [
    "a tombstone whose state nobody knows passes",
    (handler) => handler.onDelete?.(tombstone(undefined), details),
    "delete tombstone of who knows",
  ],
];

describe("a filtering handler", () => {
  for (const [fact, tell, heard] of rows) {
    test(fact, () => {
      const handler = recording();
      tell(filteringHandler({ filter: (item) => item.isMine, handler }));
      expect(handler.told).toEqual(heard === undefined ? [] : [heard]);
    });
  }

  test("passes the details on", async () => {
    const seen: EventDetails[] = [];
    const handler: ResourceEventHandler<Item> = { onAdd: (_object, each) => void seen.push(each) };
    await filteringHandler({ filter: () => true, handler }).onAdd?.(mine, { cause: "initial", isInInitialList: true });
    expect(seen).toEqual([{ cause: "initial", isInInitialList: true }]);
  });

  test("is as synchronous as the handler behind it", () => {
    const slow = filteringHandler<Item>({ filter: () => true, handler: { onAdd: async () => {} } });
    const quick = filteringHandler<Item>({ filter: () => true, handler: { onAdd: () => {} } });
    expect(slow.onAdd?.(mine, details)).toBeInstanceOf(Promise);
    expect(quick.onAdd?.(mine, details)).toBeUndefined();
  });

  test("needs no callback it does not call", () => {
    const silent = filteringHandler<Item>({ filter: (item) => item.isMine, handler: {} });
    expect([
      silent.onAdd?.(mine, details),
      silent.onUpdate?.(mine, other, details),
      silent.onUpdate?.(mine, mineLater, details),
      silent.onDelete?.(mine, details),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("a handler made of functions", () => {
  test("calls each with what it is told", async () => {
    const told: unknown[] = [];
    const handler = resourceEventHandlerFuncs<Item>({
      addFunc: (...heard) => void told.push(heard),
      updateFunc: (...heard) => void told.push(heard),
      deleteFunc: (...heard) => void told.push(heard),
    });
    await handler.onAdd?.(mine, details);
    await handler.onUpdate?.(mine, other, details);
    await handler.onDelete?.(mine, details);
    expect(told).toEqual([
      [mine, details],
      [mine, other, details],
      [mine, details],
    ]);
  });

  test("has only those it was given", () => {
    expect(Object.keys(resourceEventHandlerFuncs<Item>({ deleteFunc: () => {} }))).toEqual(["onDelete"]);
  });
});
