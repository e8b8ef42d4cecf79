// A table never fails, whatever is stored: one object that cannot be shown would take all others of its kind with it. Objects are made
// from each kind's schema, with zero times (stored as null where Go holds them by pointer) and with parts absent or null at every depth.
import {
  type KubernetesObject,
  type ObjectSchema,
  type Resource,
  type ScalarType,
  schemaNamed,
  type TypeSchema,
} from "@kubeloop/core/api";
import { deepFreeze } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { toNormalForm } from "../wire/decode/index.ts";
import { allRules } from "./index.ts";
import type { Draft, KindRules } from "./kind-rules.ts";
import { columnsOf } from "./table-columns.ts";

const deepest = 9;
const context = { nowMs: Date.UTC(2025, 0, 1) };

const scalars: Readonly<Record<ScalarType, unknown>> = {
  string: "a",
  bytes: "YQ==",
  boolean: true,
  int32: 1,
  int64: 1,
  integer: 1,
  number: 1,
  quantity: "1",
  "int-or-string": 1,
  time: "2020-01-01T00:00:00Z",
  "micro-time": "2020-01-01T00:00:00.000000Z",
  duration: "1s",
};
const zeroTimes = { ...scalars, time: "0001-01-01T00:00:00Z", "micro-time": "0001-01-01T00:00:00.000000Z" };

interface Filling {
  readonly scalars: Readonly<Record<ScalarType, unknown>>;
  /** Which place below is left out, counted from the whole object. */
  readonly isLeftOut: (depth: number, name: string) => boolean;
  /** What stands there instead. */
  readonly instead?: null | undefined;
}

function fill(schema: TypeSchema, filling: Filling, depth = 0): unknown {
  switch (schema.type) {
    case "scalar":
      return filling.scalars[schema.scalar];
    case "json":
      return {};
    case "list":
      return [fill(schema.items.schema, filling, depth + 1)];
    case "map":
      return { a: fill(schema.values.schema, filling, depth + 1) };
    case "object": {
      const object: Record<string, unknown> = {};
      for (const [name, slot] of schema.fields) {
        if (name === "managedFields" || depth > deepest) continue;
        const isLeftOut = filling.isLeftOut(depth, name);
        object[name] = isLeftOut ? filling.instead : (slot.enum?.[0] ?? fill(slot.schema, filling, depth + 1));
      }
      return object;
    }
  }
}

const never = () => false;
const depths = Array.from({ length: deepest }, (_, depth) => depth);
const stored: Readonly<Record<string, readonly Filling[]>> = {
  "with everything": [{ scalars, isLeftOut: never }],
  "with times that are zero": [{ scalars: zeroTimes, isLeftOut: never }],
  "with parts absent": depths.map((from) => ({ scalars: zeroTimes, isLeftOut: (depth) => depth >= from })),
  "with parts that are null": depths.map((from) => ({
    scalars: zeroTimes,
    isLeftOut: (depth) => depth >= from,
    instead: null,
  })),
};

function storedForm({ resource, defaults }: KindRules, filling: Filling): KubernetesObject {
  const { apiVersion, kind, schemaName = "" } = resource as Resource;
  const schema = schemaNamed(schemaName) as ObjectSchema;
  const { object } = toNormalForm(fill(schema, filling), schema);
  const metadata = { ...(object["metadata"] as object), name: "a" };
  const draft = { ...object, metadata, kind, apiVersion } as unknown as Draft<KubernetesObject>;
  defaults?.(draft);
  return deepFreeze(draft);
}

const printed = allRules.filter(({ printRow }) => printRow !== undefined);

describe.each(printed.map((each) => [`${each.resource.apiVersion} ${each.resource.kind}`, each] as const))(
  "%s has a cell for each column",
  (_, kind) => {
    const columns = columnsOf(kind.resource as Resource).length;

    test.each(Object.entries(stored))("%s", (_title, fillings) => {
      for (const object of fillings.map((filling) => storedForm(kind, filling))) {
        const cells = kind.printRow?.(object, context) ?? [];
        // An IPAddress tells its age though there is no column for it.
        expect(cells.length).toBeGreaterThanOrEqual(columns);
        expect(cells).not.toContain(undefined);
        expect(cells.filter((cell) => String(cell).includes("undefined"))).toEqual([]);
        expect(() => kind.rowConditions?.(object)).not.toThrow();
        for (const { fromStored } of kind.otherVersions ?? []) expect(() => fromStored(object)).not.toThrow();
      }
    });
  },
);
