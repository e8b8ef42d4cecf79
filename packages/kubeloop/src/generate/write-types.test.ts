import { describe, expect, test } from "vitest";
import { decodeSchema } from "./schema.ts";
import { writeTypes } from "./write-types.ts";

const root = { name: "Widget", apiVersion: "example.com/v1", kind: "Widget" };
const write = (schema: object) =>
  writeTypes(decodeSchema({ type: "object", ...schema }, "widgets.example.com v1:"), root).join("\n");
/** The line of one field that is all the root has. */
const fieldOf = (schema: object, name = "size", rest: object = {}) =>
  write({ properties: { [name]: schema }, ...rest })
    .split("\n")
    .find((line) => /^ {2}readonly (?!apiVersion|kind|metadata)/.test(line))
    ?.trim();

const text = { type: "string" };
const condition = {
  type: "object",
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
  properties: {
    lastTransitionTime: { type: "string", format: "date-time" },
    message: text,
    observedGeneration: { type: "integer", format: "int64" },
    reason: text,
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    type: text,
  },
};

describe("a field is written", () => {
  for (const [fact, schema, expected] of [
    [
      "as conditions, where the schema is theirs",
      { type: "array", items: condition },
      "readonly size?: readonly api.metav1.Condition[];",
    ],
    [
      "as a type of its own, where a condition has another field",
      { ...condition, properties: { ...condition.properties, severity: text } },
      "readonly size?: WidgetSize;",
    ],
    [
      "as a type of its own, where a condition may lack its reason",
      { ...condition, required: ["lastTransitionTime", "message", "status", "type"] },
      "readonly size?: WidgetSize;",
    ],
    ["as text", { type: "string" }, "readonly size?: string;"],
    ["as text, whatever its format", { type: "string", format: "date-time" }, "readonly size?: string;"],
    ["as a number for an integer", { type: "integer", format: "int64" }, "readonly size?: number;"],
    ["as a number", { type: "number" }, "readonly size?: number;"],
    ["as true or false", { type: "boolean" }, "readonly size?: boolean;"],
    ["as a union for an enum", { type: "string", enum: ["big", "small"] }, 'readonly size?: "big" | "small";'],
    ["as a union of numbers", { type: "integer", enum: [1, 2] }, "readonly size?: 1 | 2;"],
    ["with null where it may be null", { type: "string", nullable: true }, "readonly size?: string | null;"],
    [
      "with null once where the enum has it too",
      { type: "string", nullable: true, enum: ["big", null] },
      'readonly size?: "big" | null;',
    ],
    [
      "without an enum of what has no literal",
      { type: "object", enum: [{ a: 1 }] },
      "readonly size?: { readonly [key: string]: unknown };",
    ],
    [
      "as number or text",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      "readonly size?: api.metav1.IntOrString;",
    ],
    [
      "as number or text for a quantity, which a server keeps as it was written",
      { pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))", "x-kubernetes-int-or-string": true },
      "readonly size?: api.metav1.IntOrString;",
    ],
    ["as unknown where the schema says nothing", {}, "readonly size?: unknown;"],
    ["as unknown, which holds null already", { nullable: true }, "readonly size?: unknown;"],
    [
      "as unknown where unknown fields are kept and no type is given",
      { "x-kubernetes-preserve-unknown-fields": true },
      "readonly size?: unknown;",
    ],
    [
      "as a map to unknown for an object without fields",
      { type: "object" },
      "readonly size?: { readonly [key: string]: unknown };",
    ],
    [
      "as a map to unknown where unknown fields are kept",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      "readonly size?: { readonly [key: string]: unknown };",
    ],
    [
      "as a map",
      { type: "object", additionalProperties: { type: "string" } },
      "readonly size?: { readonly [key: string]: string };",
    ],
    [
      "as a map without a type of its own",
      { additionalProperties: { type: "string" } },
      "readonly size?: { readonly [key: string]: string };",
    ],
    [
      "as a map to anything",
      { type: "object", additionalProperties: true },
      "readonly size?: { readonly [key: string]: unknown };",
    ],
    [
      "as a map to values that may be null",
      { type: "object", additionalProperties: { type: "string", nullable: true } },
      "readonly size?: { readonly [key: string]: string | null };",
    ],
    ["as a list", { type: "array", items: { type: "string" } }, "readonly size?: readonly string[];"],
    ["as a list of unknown", { type: "array" }, "readonly size?: readonly unknown[];"],
    [
      "as a list of a union",
      { type: "array", items: { type: "string", enum: ["a", "b"] } },
      'readonly size?: readonly ("a" | "b")[];',
    ],
    [
      "as a list of lists",
      { type: "array", items: { type: "array", items: { type: "number" } } },
      "readonly size?: readonly (readonly number[])[];",
    ],
    [
      "as a list of maps",
      { type: "array", items: { type: "object", additionalProperties: { type: "string" } } },
      "readonly size?: readonly { readonly [key: string]: string }[];",
    ],
    [
      "as a list that may be null",
      { type: "array", nullable: true, items: { type: "string" } },
      "readonly size?: readonly string[] | null;",
    ],
    [
      "as an object of a named type",
      { type: "object", properties: { x: { type: "string" } } },
      "readonly size?: WidgetSize;",
    ],
    ["as an object though no type is given", { properties: { x: {} } }, "readonly size?: WidgetSize;"],
    [
      "as a list of objects of a named type",
      { type: "array", items: { type: "object", properties: { x: { type: "string" } } } },
      "readonly size?: readonly WidgetSizeItem[];",
    ],
    [
      "as a map to objects of a named type",
      { type: "object", additionalProperties: { type: "object", properties: { x: { type: "string" } } } },
      "readonly size?: { readonly [key: string]: WidgetSizeValue };",
    ],
    [
      "as a whole object where one is embedded",
      { type: "object", "x-kubernetes-embedded-resource": true },
      "readonly size?: api.KubernetesObject;",
    ],
    [
      "as a whole object with whatever it has",
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      "readonly size?: api.KubernetesObject & { readonly [key: string]: unknown };",
    ],
    [
      "as a whole object and what is known of it",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { kind: { type: "string" }, metadata: { type: "object" }, spec: { type: "string" } },
      },
      "readonly size?: api.KubernetesObject & WidgetSize;",
    ],
    [
      "without what only validates",
      { type: "string", pattern: "^a$", minLength: 1, oneOf: [{ pattern: "b" }], "x-kubernetes-validations": [] },
      "readonly size?: string;",
    ],
  ] as const) {
    test(fact, () => expect(fieldOf(schema)).toBe(expected));
  }

  test("as one that must be there", () => {
    expect(fieldOf({ type: "string" }, "size", { required: ["size"] })).toBe("readonly size: string;");
  });

  for (const [name, expected] of [
    ["class", "readonly class?: string;"],
    ["$ref", "readonly $ref?: string;"],
    ["x-y", 'readonly "x-y"?: string;'],
    ["9lives", 'readonly "9lives"?: string;'],
    ["", 'readonly ""?: string;'],
    ['a"b\n', 'readonly "a\\"b\\n"?: string;'],
  ] as const) {
    test(`named ${JSON.stringify(name)}`, () => expect(fieldOf({ type: "string" }, name)).toBe(expected));
  }
});

describe("the kind", () => {
  test("has its names and metadata, whatever the schema says of them, then its fields by name", () => {
    const text = write({
      required: ["spec"],
      properties: {
        status: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } },
        apiVersion: { type: "string" },
        spec: { type: "string" },
      },
    });
    expect(text).toBe(`export interface Widget {
  readonly apiVersion: "example.com/v1";
  readonly kind: "Widget";
  readonly metadata: api.metav1.ObjectMeta;
  readonly spec: string;
  readonly status?: string;
}
`);
  });

  test("may keep fields that nobody knows", () => {
    expect(write({ "x-kubernetes-preserve-unknown-fields": true })).toContain("  readonly [key: string]: unknown;\n}");
  });
});

test("parents stand before their children, in the order of their fields", () => {
  const leaf = { type: "object", properties: { x: { type: "string" } } };
  const text = write({
    properties: { b: leaf, a: { type: "object", properties: { inner: leaf, also: { type: "array", items: leaf } } } },
  });
  expect([...text.matchAll(/interface (\w+)/g)].map((match) => match[1])).toEqual([
    ...["Widget", "WidgetA", "WidgetAAlsoItem", "WidgetAInner", "WidgetB"],
  ]);
});

test("two ways to one name are told apart by a number", () => {
  const leaf = { type: "object", properties: { x: { type: "string" } } };
  const text = write({
    properties: { fooBar: leaf, foo: { type: "object", properties: { bar: leaf } }, "foo-bar": leaf, "-": leaf },
  });
  expect([...text.matchAll(/readonly ("?[\w-]+"?)\?: (Widget\w+);/g)].map((match) => match.slice(1))).toEqual([
    ['"-"', "WidgetField"],
    ["foo", "WidgetFoo"],
    ['"foo-bar"', "WidgetFooBar2"],
    ["fooBar", "WidgetFooBar3"],
    ["bar", "WidgetFooBar"],
  ]);
});

describe("descriptions are comments", () => {
  for (const [fact, description, expected] of [
    ["on one line", "How big it is.", "  /** How big it is. */\n  readonly size?: string;"],
    [
      "on several lines",
      "How big it is.\n\n  In metres. \n",
      "  /**\n   * How big it is.\n   *\n   *   In metres.\n   */\n  readonly size?: string;",
    ],
    ["that cannot end themselves", "see a/*/b */", "  /** see a/*\\/b *\\/ */\n  readonly size?: string;"],
    ["and nothing where there is none", " ", "  readonly metadata: api.metav1.ObjectMeta;\n  readonly size?: string;"],
  ] as const) {
    test(fact, () => expect(write({ properties: { size: { type: "string", description } } })).toContain(expected));
  }

  test("that tell the default", () => {
    expect(write({ properties: { size: { type: "string", default: "big", description: "How big." } } })).toContain(
      '  /**\n   * How big.\n   *\n   * Default: "big"\n   */\n  readonly size?: string;',
    );
    expect(write({ properties: { size: { type: "integer", default: 3 } } })).toContain("  /** Default: 3 */\n");
  });

  test("also of types", () => {
    const size = { type: "object", description: "A size.", properties: { x: {} } };
    expect(write({ properties: { size } })).toContain("/** A size. */\nexport interface WidgetSize {");
  });
});

test("the order of the schema's fields does not matter", () => {
  const a = { type: "object", properties: { x: { type: "string" }, y: { type: "string" } } };
  const b = { properties: { y: { type: "string" }, x: { type: "string" } }, type: "object" };
  expect(write({ properties: { one: a, two: b } })).toBe(write({ properties: { two: a, one: b } }));
});

describe("refuses", () => {
  for (const [fact, schema, message] of [
    [
      "a type that does not exist",
      { properties: { a: { type: "tuple" } } },
      'widgets.example.com v1: a has the unknown type "tuple"',
    ],
    [
      "a schema that is none",
      { properties: { a: { type: "array", items: [1] } } },
      "widgets.example.com v1: a.items must be a schema, an object",
    ],
  ] as const) {
    test(fact, () => expect(() => write(schema)).toThrow(message));
  }

  test("a schema that holds itself", () => {
    const knot: { type: string; properties: Record<string, unknown> } = { type: "object", properties: {} };
    knot.properties["a"] = knot;
    expect(() => write(knot)).toThrow(/nested more than 100 levels deep$/);
  });
});
