// Small objects for the tests of storage, and how those read what a storage has.
import type { KubernetesObject } from "@kubeloop/core/api";
import { expect } from "vitest";
import type { Range, Storage, StorageEvent, StorageKey, Write, WriteResult } from "./storage.ts";

export interface Note extends KubernetesObject {
  readonly data: { readonly text: string };
}

export const notes = "notes";

/** A draft: nobody else has it. */
export function note(text: string): Note {
  return { apiVersion: "v1", kind: "Note", metadata: { name: "note" }, data: { text } };
}

export function textOf(object: KubernetesObject | undefined): string | undefined {
  return (object as Note | undefined)?.data.text;
}

export function revisionOf(object: KubernetesObject | undefined): number {
  return Number(object?.metadata.resourceVersion ?? 0);
}

export const noteAt = (key: string): StorageKey => ({ collection: notes, key });

export function creation(key: string, text = key, collection = notes): Write {
  return { collection, key, expected: 0, object: note(text) };
}

export type Written = Extract<WriteResult, { kind: "written" }>;

export async function written(storage: Storage, ...writes: readonly Write[]): Promise<Written> {
  const result = await storage.write(writes);
  if (result.kind !== "written") expect.fail(`conflict at ${result.storageKey.key}`);
  return result;
}

/** Writes without looking: whatever is there is expected to be there. Undefined deletes. */
export async function put(
  storage: Storage,
  key: string,
  text: string | undefined,
  collection = notes,
): Promise<number> {
  const expected = revisionOf(await storage.get({ collection, key }));
  const object = text === undefined ? undefined : note(text);
  return (await written(storage, { collection, key, expected, object })).revision;
}

export async function textsOf(storage: Storage, range: Range = {}, collection = notes): Promise<string[]> {
  const { objects } = await storage.list(collection, range);
  return objects.map((object) => textOf(object) ?? "");
}

/** Events as words: "a: one → two @7". Fails where the log has forgotten them. */
export function eventsAfter(storage: Storage, revision: number, collection = notes): string[] {
  const events: string[] = [];
  const start =
    storage.log.positionAfter(collection, revision) ?? expect.fail(`events after ${revision} are forgotten`);
  for (let position = start; ; position++) {
    const event = storage.log.at(collection, position);
    if (event === undefined) return events;
    if (event === "forgotten") expect.fail(`event ${position} is forgotten`);
    events.push(wordsOf(event));
  }
}

function wordsOf({ key, before, after, revision }: StorageEvent): string {
  return `${key}: ${textOf(before) ?? "-"} → ${textOf(after) ?? "-"} @${revision}`;
}
