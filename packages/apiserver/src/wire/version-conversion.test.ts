import type { KubernetesObject } from "@kubeloop/core/api";
import { deferred } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import type { Draft } from "../kinds/kind-rules.ts";
import { convertedToStored, servedConversion, type VersionConversion } from "./version-conversion.ts";

const never = new AbortController().signal;
const object = (name: string, apiVersion = "example.com/v1"): KubernetesObject => ({
  kind: "Widget",
  apiVersion,
  metadata: { name },
});
const [a, b, c] = [object("a"), object("b"), object("c")];
const converted = (each: KubernetesObject): KubernetesObject => ({ ...each, apiVersion: "example.com/v2" });

/** Of v2, with the names of the objects of each call. */
function counted(
  answer = async (objects: readonly KubernetesObject[], _signal: AbortSignal) => objects.map(converted),
) {
  const calls: string[][] = [];
  const conversion: VersionConversion = {
    kind: "batched",
    fromStored: (objects, signal) => {
      calls.push(objects.map(({ metadata }) => metadata.name ?? ""));
      return answer(objects, signal);
    },
    toStored: async (drafts) => drafts.map((draft) => ({ ...draft, apiVersion: "example.com/v1" })),
  };
  const { convertAll, ...rest } = servedConversion(conversion, "example.com/v2");
  if (convertAll === undefined) throw new Error("no batches");
  return { calls, convertAll, ...rest };
}

describe("an immediate conversion", () => {
  test("has no batches, converts each object once and knows what it came from", () => {
    let count = 0;
    const conversion: VersionConversion = {
      kind: "immediate",
      fromStored: (each) => {
        count++;
        return converted(each);
      },
      toStored: (draft) => draft,
    };
    const { convertAll, toServed, storedOf } = servedConversion(conversion, "example.com/v2");
    expect(convertAll).toBeUndefined();
    expect(toServed(a)).toBe(toServed(a));
    expect([count, storedOf(toServed(a)) === a]).toEqual([1, true]);
    const draft = object("a") as Draft<KubernetesObject>;
    expect(convertedToStored(conversion, draft, { storedVersion: "example.com/v1", signal: never })).toBe(draft);
  });

  test("that is none shows the very object", () => {
    const { convertAll, toServed, storedOf } = servedConversion({ kind: "none" }, "example.com/v1");
    expect([convertAll, toServed(a) === a, storedOf(a) === a]).toEqual([undefined, true, true]);
  });
});

describe("a conversion in batches", () => {
  test("is called once for many objects, each of which is frozen and kept", async () => {
    const { calls, convertAll, toServed, storedOf } = counted();
    await convertAll([a, b, a], never);
    expect(convertAll([b, a], never)).toBeUndefined();
    await convertAll([a, c], never);
    expect(calls).toEqual([["a", "b"], ["c"]]);
    expect([toServed(a).apiVersion, storedOf(toServed(a)) === a]).toEqual(["example.com/v2", true]);
    expect(Object.isFrozen(toServed(a).metadata)).toBe(true);
  });

  test("leaves what is of the version already as it is", () => {
    const { calls, convertAll, toServed } = counted();
    const served = object("a", "example.com/v2");
    expect([convertAll([served], never), toServed(served) === served, calls]).toEqual([undefined, true, []]);
  });

  test("is not called again for what is being converted", async () => {
    const gate = deferred();
    const { calls, convertAll } = counted(async (objects) => {
      await gate.promise;
      return objects.map(converted);
    });
    const [first, second] = [convertAll([a, b], never), convertAll([b, c], never)];
    gate.resolve();
    await Promise.all([first, second]);
    expect(calls).toEqual([["a", "b"], ["c"]]);
  });

  test("is aborted when nobody waits for it any more, and not before", async () => {
    const begun = deferred<AbortSignal>();
    const { convertAll } = counted(async (_objects, signal) => {
      begun.resolve(signal);
      return await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    });
    const [one, other] = [new AbortController(), new AbortController()];
    const waits = [convertAll([a], one.signal), convertAll([a], other.signal)];
    const settled = Promise.allSettled(waits);
    const signal = await begun.promise;
    one.abort(new Error("one has gone"));
    await expect(waits[0]).rejects.toThrow("one has gone");
    expect(signal.aborted).toBe(false);
    other.abort(new Error("the other has gone"));
    await settled;
    expect(signal.aborted).toBe(true);
  });

  test("that fails is reported to all who wait, and is tried again by the next", async () => {
    let fails = true;
    const { calls, convertAll, toServed } = counted(async (objects) => {
      if (fails) throw new Error("no answer");
      return objects.map(converted);
    });
    const waits = [convertAll([a], never), convertAll([a], never)];
    for (const wait of waits) await expect(wait).rejects.toThrow("no answer");
    expect(() => toServed(a)).toThrow("Widget a was not converted to example.com/v2");
    fails = false;
    await convertAll([a], never);
    expect([calls, toServed(a).apiVersion]).toEqual([[["a"], ["a"]], "example.com/v2"]);
  });

  test("that answers with another number of objects is an internal error", async () => {
    const { convertAll } = counted(async () => []);
    await expect(convertAll([a], never)).rejects.toThrow("conversion returned 0 objects, expected 1");
  });

  test("converts a draft to the stored version, unless it is of that version", async () => {
    const toStored = async (drafts: readonly Draft<KubernetesObject>[]) =>
      drafts.map((draft) => ({ ...draft, apiVersion: "example.com/v1" }));
    const conversion: VersionConversion = { kind: "batched", fromStored: async (objects) => objects, toStored };
    const options = { storedVersion: "example.com/v1", signal: never };
    const draft = object("a", "example.com/v2") as Draft<KubernetesObject>;
    expect(await convertedToStored(conversion, draft, options)).toEqual(a);
    const own = object("a") as Draft<KubernetesObject>;
    expect(convertedToStored(conversion, own, options)).toBe(own);
  });
});
