// How objects get from the version that is stored to one that is served, and back.
//
// Built-in versions are converted one by one, at once. A conversion may also take a batch and answer later (a webhook): then whoever shows objects
// converts all of them first, in one call, and shows them afterwards. Each stored version of an object is converted once to each served version; the
// result is kept beside it, as upstream's watch cache of a version keeps it. Those who want the same object while it is being converted share the call.
import { type KubernetesObject, newStatusError } from "@kubeloop/core/api";
import { deepFreeze, KubeloopError, SharedWork } from "@kubeloop/core/base";
import type { Draft } from "../kinds/kind-rules.ts";

export type VersionConversion =
  /** Served as stored. */
  | { readonly kind: "none" }
  /** One object at a time, without waiting. */
  | {
      readonly kind: "immediate";
      /** The result is printed, never stored. */
      fromStored(object: KubernetesObject): KubernetesObject;
      /** May take the draft apart. */
      toStored(draft: Draft<KubernetesObject>): Draft<KubernetesObject>;
    }
  /** Many at a time, later. Answers with as many objects, in the same order, which are the server's own. The signal aborts when nobody waits any more. */
  | {
      readonly kind: "batched";
      fromStored(objects: readonly KubernetesObject[], signal: AbortSignal): Promise<readonly KubernetesObject[]>;
      toStored(
        drafts: readonly Draft<KubernetesObject>[],
        signal: AbortSignal,
      ): Promise<readonly Draft<KubernetesObject>[]>;
    };

/** Stored objects under a version that is served. */
export interface ServedConversion {
  /** The same object where it is of that version. Of a conversion in batches, only what `convertAll` has converted. */
  toServed(object: KubernetesObject): KubernetesObject;
  /** What a converted object was made of. */
  storedOf(object: KubernetesObject): KubernetesObject;
  /**
   * Only of a conversion in batches: converts all of these that are not converted yet, in one call. Returns undefined where there is nothing to wait for.
   * Rejects with what the conversion rejects with.
   */
  readonly convertAll?: ConvertAll;
}

export type ConvertAll = (objects: readonly KubernetesObject[], signal: AbortSignal) => Promise<void> | undefined;

export function servedConversion(conversion: VersionConversion, apiVersion: string): ServedConversion {
  switch (conversion.kind) {
    case "none":
      return { toServed: (object) => object, storedOf: (object) => object };
    case "immediate":
      return immediate(conversion.fromStored);
    case "batched":
      return batched(conversion.fromStored, apiVersion);
  }
}

/** In the version that is stored. A promise only where the conversion answers later. */
export function convertedToStored(
  conversion: VersionConversion,
  draft: Draft<KubernetesObject>,
  { storedVersion, signal }: { readonly storedVersion: string; readonly signal: AbortSignal },
): Draft<KubernetesObject> | Promise<Draft<KubernetesObject>> {
  switch (conversion.kind) {
    case "none":
      return draft;
    case "immediate":
      return conversion.toStored(draft);
    case "batched": {
      if (draft.apiVersion === storedVersion) return draft;
      return conversion.toStored([draft], signal).then((stored) => checked(stored, 1)[0] as Draft<KubernetesObject>);
    }
  }
}

function immediate(fromStored: (object: KubernetesObject) => KubernetesObject): ServedConversion {
  const kept = new Conversions();
  return {
    toServed(object) {
      let converted = kept.servedOf(object);
      if (converted === undefined) {
        converted = fromStored(object);
        kept.add(object, converted);
      }
      return converted;
    },
    storedOf: (object) => kept.storedOf(object),
  };
}

type FromStored = Extract<VersionConversion, { kind: "batched" }>["fromStored"];

function batched(fromStored: FromStored, apiVersion: string): ServedConversion {
  const kept = new Conversions();
  const calls = new WeakMap<KubernetesObject, SharedWork<void>>();
  const isServed = (object: KubernetesObject) => object.apiVersion === apiVersion;
  const callFor = (objects: readonly KubernetesObject[]): SharedWork<void> => {
    const call = new SharedWork<void>(async (signal) => {
      try {
        const converted = checked(await fromStored(objects, signal), objects.length);
        for (const [i, object] of objects.entries()) kept.add(object, deepFreeze(converted[i] as KubernetesObject));
      } finally {
        for (const object of objects) calls.delete(object);
      }
    });
    for (const object of objects) calls.set(object, call);
    return call;
  };
  return {
    toServed(object) {
      if (isServed(object)) return object;
      const converted = kept.servedOf(object);
      if (converted !== undefined) return converted;
      const { kind, metadata } = object;
      const what = `${kind} ${metadata.name} was not converted to ${apiVersion} before it is shown`;
      throw new KubeloopError(what, { reason: "Internal", retry: "never" });
    },
    storedOf: (object) => kept.storedOf(object),
    convertAll(objects, signal) {
      const missing = new Set<KubernetesObject>();
      const wanted = new Set<SharedWork<void>>();
      for (const object of objects) {
        if (isServed(object) || kept.servedOf(object) !== undefined) continue;
        const call = calls.get(object);
        if (call === undefined) missing.add(object);
        else wanted.add(call);
      }
      if (missing.size > 0) wanted.add(callFor([...missing]));
      return wanted.size === 0 ? undefined : joinAll([...wanted], signal);
    },
  };
}

/** All of them are waited for, also where one fails: nobody is left waiting unobserved. */
async function joinAll(calls: readonly SharedWork<void>[], signal: AbortSignal): Promise<void> {
  const results = await Promise.allSettled(calls.map((call) => call.join(signal)));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Stored objects and what was made of them, for as long as somebody else holds them. */
class Conversions {
  readonly #served = new WeakMap<KubernetesObject, KubernetesObject>();
  readonly #stored = new WeakMap<KubernetesObject, KubernetesObject>();

  add(stored: KubernetesObject, served: KubernetesObject): void {
    this.#served.set(stored, served);
    this.#stored.set(served, stored);
  }

  servedOf(stored: KubernetesObject): KubernetesObject | undefined {
    return this.#served.get(stored);
  }

  storedOf(served: KubernetesObject): KubernetesObject {
    return this.#stored.get(served) ?? served;
  }
}

function checked<T>(objects: readonly T[], expected: number): readonly T[] {
  if (objects.length === expected) return objects;
  const message = `Internal error occurred: conversion returned ${objects.length} objects, expected ${expected}`;
  throw newStatusError({ code: 500, reason: "InternalError", message });
}
