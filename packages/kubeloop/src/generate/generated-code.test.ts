// What is generated is code: it compiles as strictly as our own, and runs.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type ApiRequest,
  type apiextensionsv1,
  queryValue,
  type Resource,
  requestInfoOf,
  schemaOfCrd,
  type Transport,
  valueResponse,
} from "@kubeloop/core/api";
import { FakeClock, seededRandom, untilAborted } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { generateCommand } from "./generate-command.ts";
import { nodeWorld } from "./world.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const folder = join(root, ".cache", "generated-code");
const sources = join(root, "packages/core/src");

/** Everything a schema can say, twice over, under names that are hard to write. */
const crds = String.raw`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets, shortNames: [wi] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {}, scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas } }
      schema:
        openAPIV3Schema:
          description: |
            A widget. Ends no comment: */ export const oops = 1;
            With a ${"`"}quote${"`"} and \ backslash.
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [size, class]
              properties:
                size: { type: integer, minimum: 1, description: How big it is. }
                class: { type: string, enum: [small, "big*/", 'a"b', "multi\nline"] }
                "x-y/z": { type: number }
                9lives: { type: boolean }
                inherited: { type: object, properties: { constructor: { type: string }, __proto__: { type: string } } }
                port: { x-kubernetes-int-or-string: true }
                limit: { x-kubernetes-int-or-string: true, pattern: '^[0-9]+(m|Ki)?$' }
                free: { x-kubernetes-preserve-unknown-fields: true }
                half:
                  type: object
                  x-kubernetes-preserve-unknown-fields: true
                  properties: { known: { type: string } }
                labels: { type: object, additionalProperties: { type: string } }
                nested: { type: object, additionalProperties: { type: object, properties: { a: { type: string } } } }
                list: { type: array, items: { type: array, items: { type: object, properties: { b: { type: string } } } } }
                maybe: { type: string, nullable: true, default: none }
                key: { type: string, format: byte, description: Secret. }
                doors:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items: { type: object, x-kubernetes-map-type: atomic, properties: { name: { type: string }, open: { type: boolean, default: true } } }
                template: { type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true }
                typed:
                  type: object
                  x-kubernetes-embedded-resource: true
                  properties: { kind: { type: string }, data: { type: object, properties: { c: { type: string } } } }
            status: { type: object, properties: { replicas: { type: integer }, selector: { type: string } } }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: class.example.com }
spec:
  group: example.com
  scope: Cluster
  names: { kind: Resource, plural: class, singular: class, listKind: Classes }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

/** A user of the code: what must compile, and what must not. */
const user = `
import { SharedInformerFactory } from "@kubeloop/core/informer";
import type { Client } from "@kubeloop/core/client";
import { type Widget, widgetInformer, widgetLister, widgets } from "./example.com/v1/widget.ts";
import { class2, resourceLister } from "./example.com/v1/resource.ts";

export async function use(client: Client, signal: AbortSignal) {
  const factory = new SharedInformerFactory(client);
  widgetInformer(factory).addEventHandler({ onAdd: (widget) => console.log(widget.spec.size.toFixed()) });
  const found: Widget[] = widgetLister(factory).namespace("shop").list("app=web");
  const size: number | undefined = found[0]?.spec.size;
  const data: string | undefined = found[0]?.spec.typed?.data?.c;
  const kind: string | undefined = found[0]?.spec.template?.kind;
  const port: number | string | undefined = found[0]?.spec.port;
  const known: string | undefined = found[0]?.spec.half?.known;
  const replicas = (await client.resource(widgets).in("shop").subresource("scale").get("w", signal)).spec;
  const inherited: string | undefined = found[0]?.spec.inherited?.__proto__;
  const other: unknown = resourceLister(factory).get("c")?.["anything"];
  const list: string = class2.plural;
  // @ts-expect-error a field that is not there
  found[0]?.spec.colour;
  // @ts-expect-error caches are read-only
  if (found[0]) found[0].spec.size = 3;
  // @ts-expect-error not a size
  const wrong: Widget["spec"] = { size: "big", class: "small" };
  // @ts-expect-error a class that does not exist
  const unknown: Widget["spec"] = { size: 1, class: "huge" };
  const right: Widget["spec"] = { size: 1, class: "big*/", maybe: null, "x-y/z": 1, "9lives": true };
  return [size, data, kind, port, known, inherited, replicas, other, list, wrong, unknown, right];
}
`;

const { signal } = new AbortController();

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("crds.yaml", crds);
  write("user.ts", user);
  const compilerOptions = {
    noEmit: true,
    composite: false,
    declaration: false,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    noUnusedLocals: false,
    paths: { "@kubeloop/core/*": [join(sources, "*/index.ts")] },
  };
  write("tsconfig.json", JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions }));
  await generateCommand(["--crd", join(folder, "crds.yaml"), "--out", folder], nodeWorld, signal);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("it compiles as strictly as our own sources, and so does a user of it", () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  } catch (error) {
    expect(String((error as { stdout?: string }).stdout)).toBe("");
    throw error;
  }
});

describe("it runs:", () => {
  const widget = (name: string, size: number) => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "shop", name, resourceVersion: String(size), labels: { app: "web" } },
    spec: { size, class: "small" },
  });

  /** Lists one widget, then says that there is another one, then nothing. */
  function script(requests: ApiRequest[]): Transport {
    return async (request, each) => {
      requests.push(request);
      const { verb } = requestInfoOf(request);
      if (verb !== "watch") {
        const list = { kind: "WidgetList", apiVersion: "example.com/v1", metadata: { resourceVersion: "1" } };
        return valueResponse(200, { ...list, items: [widget("old", 1)] });
      }
      async function* events() {
        yield { type: "ADDED", object: widget("new", 2) };
        await untilAborted(new Promise(() => {}), each);
      }
      const body = { kind: "values" as const, values: events() };
      return { status: 200, headers: {}, body, [Symbol.asyncDispose]: async () => {} };
    };
  }

  test("the resource leads to its place, the informer hears, the lister reads", async () => {
    const generated = (await import(/* @vite-ignore */ join(folder, "example.com/v1/widget.ts"))) as {
      readonly widgets: Resource;
      widgetInformer(factory: object): InformerLike;
      widgetLister(factory: object): ListerLike;
    };
    const { SharedInformerFactory } = await import("@kubeloop/core/informer");
    const clock = new FakeClock();
    const requests: ApiRequest[] = [];
    const client = clientOf(script(requests), { clock });
    const factory = new SharedInformerFactory(client, { clock, random: seededRandom(1), canWatchList: false });
    const heard: string[] = [];
    generated.widgetInformer(factory).addEventHandler({ onAdd: ({ metadata }) => void heard.push(metadata.name) });
    const controller = new AbortController();
    const running = factory.run(controller.signal);
    await clock.drive(factory.waitForCacheSync(controller.signal));
    await clock.advance(1);
    expect(heard).toEqual(["old", "new"]);
    const found = generated.widgetLister(factory).namespace("shop").list("app=web");
    expect(found.map(({ spec }) => spec.size).sort()).toEqual([1, 2]);
    expect(requests.map(({ path, query }) => [path, queryValue(query, "watch")])).toEqual([
      ["/apis/example.com/v1/widgets", undefined],
      ["/apis/example.com/v1/widgets", "true"],
    ]);
    expect(generated.widgets).toMatchObject({ kind: "Widget", shortNames: ["wi"], namespaced: true });
    controller.abort();
    await clock.drive(running);
  });
});

for (const [file, constant] of [
  ["widget", "widgets"],
  ["resource", "class2"],
] as const) {
  test(`the resource in ${file}.ts carries the schema of its CRD, for ensure and test clusters`, async () => {
    const generated = (await import(/* @vite-ignore */ join(folder, `example.com/v1/${file}.ts`))) as {
      readonly [name: string]: Resource;
    };
    const [first, second] = parseAllDocuments(crds).map((document) => document.toJS());
    const expected = schemaOfCrd((file === "widget" ? first : second) as apiextensionsv1.CustomResourceDefinition);
    // A schema is never undefined here, and comparing it reads every slot.
    expect(expected?.fields.has("metadata")).toBe(true);
    expect(generated[constant]?.schema).toEqual(expected);
  });
}

interface InformerLike {
  addEventHandler(handler: { onAdd(object: { readonly metadata: { readonly name: string } }): void }): void;
}

interface ListerLike {
  namespace(name: string): { list(selector: string): readonly { readonly spec: { readonly size: number } }[] };
}
