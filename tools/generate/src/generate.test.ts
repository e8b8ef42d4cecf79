import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { generate } from "./generate.ts";
import { generateServer, plain, unpacked } from "./generate-server.ts";
import { readInputs, readServerInputs } from "./inputs.ts";
import { differingFiles } from "./write-output.ts";

const checkedIn = fileURLToPath(new URL("../../../packages/core/src/api/generated", import.meta.url));
const serverCheckedIn = fileURLToPath(new URL("../../../packages/apiserver/src/generated", import.meta.url));

test("the checked-in sources are what the kept inputs give", async () => {
  expect(await differingFiles(checkedIn, generate(await readInputs()))).toEqual([]);
});

test("so are those of the embedded server", async () => {
  const files = generateServer(await readServerInputs(), plain);
  expect(await differingFiles(serverCheckedIn, files, unpacked)).toEqual([]);
});

const ref = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const kind = (word: string) => [{ group: "toys.k8s.io", version: "v1", kind: word }];
const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" } };

/** A small server: one kind with a list, a status subresource, and an alpha version that discovery does not show. */
const toys = {
  openapi: {
    openapi: "3.0.0",
    components: {
      schemas: {
        "io.k8s.api.toys.v1.Top": {
          description: "must not appear",
          type: "object",
          "x-kubernetes-group-version-kind": kind("Top"),
          properties: {
            ...typeMeta,
            metadata: { ...ref(`${meta}.ObjectMeta`), default: {} },
            spec: { ...ref("io.k8s.api.toys.v1.TopSpec"), default: {} },
            status: ref("io.k8s.api.toys.v1.TopStatus"),
          },
        },
        "io.k8s.api.toys.v1.TopList": {
          type: "object",
          "x-kubernetes-group-version-kind": kind("TopList"),
          required: ["items"],
          properties: {
            ...typeMeta,
            items: { type: "array", items: { ...ref("io.k8s.api.toys.v1.Top"), default: {} } },
            metadata: { ...ref(`${meta}.ListMeta`), default: {} },
          },
        },
        "io.k8s.api.toys.v1.TopSpec": {
          type: "object",
          required: ["speed"],
          properties: {
            speed: { type: "integer", format: "int32", default: 0 },
            mood: { type: "string", enum: ["calm", "wild"], default: "calm" },
            description: { type: "string", description: "must not appear" },
            colours: {
              type: "array",
              items: { type: "string", default: "" },
              "x-kubernetes-list-type": "set",
              "x-kubernetes-patch-strategy": "merge",
            },
            inner: { type: "array", items: { ...ref("io.k8s.api.toys.v1.Top"), default: {} } },
            place: { type: "object", properties: { "x-y": { type: "number" } }, required: ["x-y"] },
            label: { type: "object", additionalProperties: { type: "string", default: "" } },
          },
        },
        "io.k8s.api.toys.v1.TopStatus": { type: "object", required: ["at"], properties: { at: ref(`${meta}.Time`) } },
        [`${meta}.ObjectMeta`]: { type: "object", properties: { name: { type: "string" } } },
        [`${meta}.ListMeta`]: { type: "object", properties: { continue: { type: "string" } } },
        [`${meta}.Time`]: { type: "string", format: "date-time" },
      },
    },
    paths: {
      "/apis/toys.k8s.io/v1alpha1/namespaces/{namespace}/tops": {
        post: {
          "x-kubernetes-action": "post",
          "x-kubernetes-group-version-kind": { group: "toys.k8s.io", version: "v1alpha1", kind: "Top" },
        },
      },
    },
  },
  discovery: {
    apis: {
      kind: "APIGroupDiscoveryList",
      items: [
        {
          metadata: { name: "toys.k8s.io" },
          versions: [
            {
              version: "v1",
              resources: [
                {
                  resource: "tops",
                  responseKind: { group: "", version: "", kind: "Top" },
                  scope: "Namespaced",
                  singularResource: "top",
                  verbs: ["get", "list"],
                  shortNames: ["t"],
                  subresources: [
                    { subresource: "status", responseKind: { group: "", version: "", kind: "Top" }, verbs: ["get"] },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  },
  protobuf: {
    "k8s.io.api.toys.v1.TopSpec": {
      speed: [2, "int32"],
      rest: [1, "k8s.io.api.toys.v1.Rest"],
      newer: [3, "string"],
      newest: [4, "k8s.io.api.toys.v1.TopStatus"],
    },
    "k8s.io.api.toys.v1.TopStatus": { at: [1, "string"] },
    "k8s.io.api.toys.v1.Rest": { mood: [1, "string"] },
    "k8s.io.api.other.v1.Gone": { mood: [1, "string"] },
  },
  goFields: {
    "io.k8s.api.toys.v1.TopSpec": {
      speed: ["", "*int32"],
      mood: ["", "*v1.Mood"],
      gone: ["", "string"],
      description: ["p", "string", "Words"],
      colours: ["", "[]string"],
      inner: ["", "[]v1.Top"],
      place: ["p", "v1.Place"],
      label: ["", "map[string]string"],
    },
    "io.k8s.api.other.v1.Gone": { mood: ["", "string"] },
  },
};

describe("a small server", () => {
  const files = generate(toys);
  const types = files.get("types/toys/v1.ts") ?? "";

  test("gets a file for each group and version, and the tables", () => {
    expect([...files.keys()]).toEqual([
      "types/meta/v1.ts",
      "types/toys/v1.ts",
      "types/index.ts",
      "resources.ts",
      "resources-by-group.ts",
      "schema-table.ts",
      "protobuf-table.ts",
    ]);
  });

  for (const [fact, text] of [
    [
      "a kind has literal names, metadata, and a spec that must be given",
      "export interface Top {\n" +
        '  readonly apiVersion: "toys.k8s.io/v1";\n  readonly kind: "Top";\n  readonly metadata: metav1.ObjectMeta;\n  readonly spec: TopSpec;\n  readonly status?: TopStatus;\n}\n',
    ],
    ["a list holds whole objects", "readonly items: readonly Top[];"],
    ["a kind inside another need not say what it is", "readonly inner?: readonly Embedded<Top>[];"],
    ["an enum is a union", 'readonly mood?: "calm" | "wild";'],
    ["a field named description is a field", "readonly description?: string;"],
    ["a list is readonly", "readonly colours?: readonly string[];"],
    ["a map is readonly", "readonly label?: { readonly [key: string]: string };"],
    ["an object in place is written in place", 'readonly place?: {\n    readonly "x-y": number;\n  };'],
    ["a time is an alias", "readonly at: metav1.Time;"],
  ] as const) {
    test(fact, () => expect(types).toContain(text));
  }

  test("no description reaches the output", () => {
    for (const text of files.values()) expect(text).not.toContain("must not appear");
  });

  const table = files.get("schema-table.ts") ?? "";
  for (const [fact, text] of [
    ["a list's type and patch strategy", '"colours":["[]string",{"list":"set","patch":["merge"]}]'],
    [
      "an enum and a default, of a scalar held by pointer",
      '"mood":["*string",{"enum":["calm","wild"],"default":"calm"}]',
    ],
    ["what is required, though omitted when absent, with the zero as its default", '"speed":"!^*int32~"'],
    ["what is printed though optional", '"description":"^string"'],
    [
      "an object in place, of whose fields nobody knows how Go holds them",
      '"place":["^object",{"fields":{"x-y":"!?number"}}]',
    ],
    ["a definition of which nobody knows how Go holds it", '"toys.v1.TopStatus":{"at":"!?time"}'],
    [
      "what Go calls its types and embeds",
      '"$":{"go":{"mood":"v1.Mood","place":"v1.Place"},"in":{"Words":["description"]}}',
    ],
  ] as const) {
    test(`the schema table has ${fact}`, () => expect(table).toContain(text));
  }

  test("the schema table has fields in the order in which Go prints them", () => {
    const line = table.split("\n").find((each) => each.startsWith('"toys.v1.TopSpec"')) ?? "";
    const fields = Object.keys(JSON.parse(`{${line.replace(/,$/, "")}}`)["toys.v1.TopSpec"]);
    expect(fields).toEqual(["$", "speed", "mood", "description", "colours", "inner", "place", "label"]);
  });

  test("the registry ties rows to types, and adds what only the paths know", () => {
    const resources = files.get("resources.ts") ?? "";
    expect(resources).toContain(
      "export const tops = /* @__PURE__ */ parseResource<toysv1.Top, { readonly status: toysv1.Top }>(\n" +
        '  "toys.k8s.io|v1|Top|tops|top|namespaced|t||get,list|TopList|io.k8s.api.toys.v1.Top|default|status:get",\n);',
    );
    expect(resources).toContain('"toys.k8s.io|v1alpha1|Top|tops|top|namespaced|||create|||optional|"');
    expect(resources).toContain("  tops,\n  topsV1alpha1,\n];");
  });

  test("protobuf keeps known packages and fields, and marks what lies flat in JSON", () => {
    const table = files.get("protobuf-table.ts") ?? "";
    expect(table).toContain('"toys.v1.TopSpec":{"*rest":[1,"toys.v1.Rest"],"speed":[2,"int32"]}');
    expect(table).not.toContain("Gone");
  });

  test("the order of the input does not matter", () => {
    const schemas = Object.entries(toys.openapi.components.schemas).reverse();
    const components = { schemas: Object.fromEntries(schemas) };
    expect(generate({ ...toys, openapi: { ...toys.openapi, components } })).toEqual(files);
  });
});

describe("refuses", () => {
  const withSchema = (schema: unknown) => ({
    ...toys,
    openapi: { openapi: "3.0.0", components: { schemas: { "io.k8s.api.toys.v1.Odd": schema } } },
  });
  for (const [fact, inputs, message] of [
    ["input that is no object", { ...toys, openapi: [] }, "the OpenAPI input must be an object"],
    [
      "a key it does not understand",
      withSchema({ type: "object", properties: { a: { "x-kubernetes-new": 1 } } }),
      "io.k8s.api.toys.v1.Odd.a has the unknown key x-kubernetes-new",
    ],
    [
      "a type it does not understand",
      withSchema({ type: "object", properties: { a: { type: "tuple" } } }),
      "io.k8s.api.toys.v1.Odd.a has the unknown type tuple",
    ],
    [
      "two definitions of one name",
      { ...toys, openapi: { a: toys.openapi, b: withSchema({}).openapi, c: withSchema({ type: "object" }).openapi } },
      "two documents define io.k8s.api.toys.v1.Odd differently",
    ],
    [
      "a Go field that is no list",
      { ...toys, goFields: { "io.k8s.api.toys.v1.TopSpec": { mood: "yes" } } },
      "io.k8s.api.toys.v1.TopSpec.mood must be a list of words",
    ],
    [
      "a Go field without a type",
      { ...toys, goFields: { "io.k8s.api.toys.v1.TopSpec": { mood: ["p"] } } },
      "io.k8s.api.toys.v1.TopSpec.mood has no print or no type",
    ],
    [
      "discovery that is not aggregated",
      { ...toys, discovery: { api: { kind: "APIVersions" } } },
      'discovery of /api is not aggregated: its kind is "APIVersions"',
    ],
  ] as const) {
    test(fact, () => expect(() => generate(inputs)).toThrow(message));
  }
});
