// What whoever gets an object may rely on, however it is represented: as plain data, or decoded when it is looked at. `make` returns a new object each time,
// which equals `plain`.
import { assert as chai, describe, expect, test } from "vitest";
import { copyJson, deepEqual, deepFreeze } from "../../base/index.ts";
import type { ObjectSchema } from "../schema.ts";
import { applyStrategicMerge, createStrategicMerge } from "../strategic-merge/index.ts";

export interface Represented {
  readonly what: string;
  readonly plain: Readonly<Record<string, unknown>>;
  readonly make: () => Record<string, unknown>;
  /** Undefined for what is never patched. */
  readonly schema: ObjectSchema | undefined;
}

export function describeRepresentation(name: string, objects: readonly Represented[]): void {
  describe(name, () => {
    const each = (fact: string, check: (represented: Represented) => void) =>
      test(fact, () => {
        for (const represented of objects) check(represented);
      });

    each("has its own properties in the order of the API", ({ what, plain, make }) => {
      expect(Object.keys(make()), what).toEqual(Object.keys(plain));
      expect(Object.getOwnPropertyNames(make()), what).toEqual(Object.getOwnPropertyNames(plain));
      const seen: string[] = [];
      for (const key in make()) seen.push(key);
      expect(seen, what).toEqual(Object.keys(plain));
      expect(Object.getPrototypeOf(make())).toBe(Object.prototype);
    });

    each("prints the same JSON", ({ what, plain, make }) => {
      expect(JSON.stringify(make()), what).toBe(JSON.stringify(plain));
    });

    each("spreads, is assigned, destructured and listed", ({ plain, make }) => {
      expect({ ...make() }).toStrictEqual(plain);
      expect(Object.assign({}, make())).toStrictEqual(plain);
      const { metadata, ...rest } = make();
      expect({ metadata, ...rest }).toEqual(plain);
      expect(Object.entries(make())).toEqual(Object.entries(plain));
    });

    each("is cloned and copied", ({ plain, make }) => {
      expect(structuredClone(make())).toStrictEqual(plain);
      expect(copyJson(make())).toStrictEqual(plain);
    });

    each("is equal to plain data, on either side", ({ plain, make }) => {
      expect(deepEqual(make(), plain)).toBe(true);
      expect(deepEqual(plain, make())).toBe(true);
      expect(make()).toEqual(plain);
      expect(plain).toEqual(make());
      expect(make()).toStrictEqual(plain);
      expect(make()).toMatchObject(plain);
      chai.deepEqual(make(), plain);
    });

    each("is not equal to other data", ({ plain, make }) => {
      expect(deepEqual(make(), { ...plain, extra: 1 })).toBe(false);
      expect(make()).not.toEqual({ ...plain, metadata: { name: "another" } });
    });

    each("has what it has, and nothing else", ({ plain, make }) => {
      const object = make();
      for (const key of Object.keys(plain)) {
        expect(key in object && Object.hasOwn(object, key)).toBe(true);
        expect(Object.prototype.propertyIsEnumerable.call(object, key)).toBe(true);
      }
      expect("nothing" in object).toBe(false);
      expect(object["nothing"]).toBeUndefined();
    });

    each("returns the same value each time", ({ plain, make }) => {
      const object = make();
      for (const key of Object.keys(plain)) expect(object[key]).toBe(object[key]);
    });

    each("can be frozen, and read then", ({ plain, make }) => {
      expect(deepFreeze(make())).toEqual(plain);
      const frozen = make();
      Object.freeze(frozen);
      expect(frozen).toEqual(plain);
      expect(Object.isFrozen(frozen)).toBe(true);
      for (const key of Object.keys(plain)) {
        expect(() => {
          frozen[key] = 1;
        }).toThrow(TypeError);
      }
      expect(frozen).toEqual(plain);
    });

    each("can be changed by who owns it", ({ plain, make }) => {
      for (const key of Object.keys(plain)) {
        const object = make();
        object[key] = "other";
        expect(object).toEqual({ ...plain, [key]: "other" });
        expect(Object.keys(object)).toEqual(Object.keys(plain));
        delete object[key];
        expect(Object.keys(object)).toEqual(Object.keys(plain).filter((other) => other !== key));
      }
    });

    each("can be inherited from", ({ plain, make }) => {
      const heir = Object.create(make()) as Record<string, unknown>;
      for (const key of Object.keys(plain)) {
        expect(heir[key]).toEqual(plain[key]);
        heir[key] = "own";
        expect(Object.hasOwn(heir, key)).toBe(true);
        expect((Object.getPrototypeOf(heir) as typeof heir)[key]).toEqual(plain[key]);
      }
    });

    each("is merged strategically", ({ plain, make, schema }) => {
      if (schema === undefined) return;
      const changed = { ...plain, labels: { a: "b" }, metadata: { name: "other", labels: { a: "b" } } };
      const patch = createStrategicMerge(plain, changed, { schema });
      expect(createStrategicMerge(make(), changed, { schema })).toEqual(patch);
      expect(createStrategicMerge(changed, make(), { schema })).toEqual(
        createStrategicMerge(changed, plain, { schema }),
      );
      expect(applyStrategicMerge(make(), patch, { schema })).toEqual(applyStrategicMerge(plain, patch, { schema }));
    });
  });
}
