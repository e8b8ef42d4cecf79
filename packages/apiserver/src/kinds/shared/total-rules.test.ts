// Whatever a schema lets through, rules answer: they refuse or they accept, but they do not break. Objects are made up at random, from
// nothing at all to everything at once. To see one seed again: KUBELOOP_SEED=17 npx vitest run --project unit <this file>
import {
  type KubernetesObject,
  type ObjectSchema,
  type Resource,
  type ScalarType,
  schemaNamed,
  type TypeSchema,
} from "@kubeloop/core/api";
import { deepFreeze, type Random, seededRandom } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { toNormalForm, UnmarshalError } from "../../wire/decode/index.ts";
import { allRules } from "../index.ts";
import type { Draft, RuleContext } from "../kind-rules.ts";

const seed = Number(process.env["KUBELOOP_SEED"] ?? 1);
const objectsPerKind = 200;
const deepest = 9;
const user = { name: "me", uid: undefined, groups: ["us"], extra: { a: ["b"] } };
const context: RuleContext = { nowMs: 1_700_000_000_000, user, isDryRun: false };

const words = [
  "",
  "a",
  "A_b",
  "a.b",
  "a.b/c",
  "*",
  "10.0.0.1",
  "10.0.0.0/8",
  "::1",
  "1",
  "50%",
  "Exists",
  "In",
  "True",
  "v1",
];
const numbers = [0, 1, -1, 5, 80, 70_000, 2_000_000_000];
const scalars: Readonly<Record<ScalarType, readonly unknown[]>> = {
  string: words,
  bytes: [
    "",
    "YQ==",
    Buffer.from("-----BEGIN CERTIFICATE REQUEST-----\nYQ==\n-----END CERTIFICATE REQUEST-----").toString("base64"),
  ],
  boolean: [true, false],
  int32: numbers,
  int64: numbers,
  integer: numbers,
  number: numbers,
  quantity: ["0", "1", "-1", "0.5", "1Gi"],
  "int-or-string": [0, 1, -1, "50%", "a"],
  time: ["2020-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
  "micro-time": ["2020-01-01T00:00:00.000001Z", "0001-01-01T00:00:00.000000Z"],
  duration: ["1s"],
};

/** How full objects are, from empty to full. */
function makeUp(schema: TypeSchema, random: Random, fullness: number, depth = 0): unknown {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random.next() * from.length)] as T;
  const next = (slot: { readonly schema: TypeSchema; readonly enum?: readonly unknown[] | undefined }) =>
    slot.enum !== undefined && random.next() < 0.8 ? pick(slot.enum) : makeUp(slot.schema, random, fullness, depth + 1);
  const count = () => (random.next() < fullness ? 1 + Math.floor(random.next() * 2) : 0);
  switch (schema.type) {
    case "scalar":
      return pick(scalars[schema.scalar]);
    case "json":
      return pick([{}, "a", 5, null, [1]]);
    case "list":
      return Array.from({ length: depth > deepest ? 0 : count() }, () => next(schema.items));
    case "map":
      return Object.fromEntries(
        Array.from({ length: count() }, (_, i) => [pick(words) || `k${i}`, next(schema.values)]),
      );
    case "object": {
      const fields = [...schema.fields].filter(() => depth <= deepest && random.next() < fullness);
      return Object.fromEntries(fields.map(([name, slot]) => [name, next(slot)]));
    }
  }
}

function draftOf({ apiVersion, kind, schemaName = "" }: Resource, random: Random, fullness: number) {
  const schema = schemaNamed(schemaName) as ObjectSchema;
  for (;;) {
    try {
      const made = makeUp(schema, random, fullness) as { metadata?: object };
      const { object } = toNormalForm({ ...made, metadata: { name: "a" } }, schema);
      return { ...object, kind, apiVersion } as unknown as Draft<KubernetesObject>;
    } catch (error) {
      if (!(error instanceof UnmarshalError)) throw error;
    }
  }
}

describe.each(allRules.map((each) => [`${each.resource.apiVersion} ${each.resource.kind}`, each] as const))(
  "%s",
  (_, kind) => {
    test("never breaks", () => {
      const random = seededRandom(seed);
      for (let i = 0; i < objectsPerKind; i++) {
        const fullness = i / objectsPerKind;
        const old = draftOf(kind.resource, random, fullness);
        kind.defaults?.(old);
        const twice = structuredClone(old);
        kind.defaults?.(twice);
        expect(twice, "defaults once more change nothing").toEqual(old);
        kind.prepareCreate?.(old, context);
        deepFreeze(old);
        expect(() => kind.validate?.(old, context)).not.toThrow();
        kind.warnings?.(old, undefined);
        expect(kind.printRow?.(old, context) ?? []).not.toContain(undefined);
        kind.selectableFields?.valuesOf(old);
        for (const { fromStored, toStored } of kind.otherVersions ?? []) {
          toStored(structuredClone(fromStored(old)) as Draft<KubernetesObject>);
        }
        const draft = draftOf(kind.resource, random, fullness);
        kind.defaults?.(draft);
        const changed = structuredClone(draft);
        kind.prepareUpdate?.(changed, old, context);
        deepFreeze(changed);
        kind.validateUpdate?.(changed, old, context);
        kind.warnings?.(changed, old);
        for (const rules of Object.values(kind.subresources ?? {})) {
          const through = structuredClone(draft);
          rules.prepareUpdate(through, old, context);
          deepFreeze(through);
          rules.validateUpdate?.(through, old, context);
          rules.warnings?.(through, old);
        }
      }
    });
  },
);
