// Widgets: a resource without a Go type, for tests. It is stored as v1 and served as v2, too, by a conversion that takes batches, answers later and
// keeps count: what a custom resource with a conversion webhook will be.
import { defineResource, type KubernetesObject, type ObjectSchema, type Resource } from "@kubeloop/core/api";
import type { Draft, KindRules } from "../kinds/kind-rules.ts";
import { unstructuredCodec } from "../wire/kind-codec.ts";
import { type ServedResource, servedResource } from "./registry/served-resource.ts";

export const group = "example.com";
export const widgetsPath = "/apis/example.com/v1/namespaces/default/widgets";
export const newWidgetsPath = "/apis/example.com/v2/namespaces/default/widgets";

/** Of v1. */
export interface Widget extends KubernetesObject {
  readonly spec?: { readonly size?: number };
}

/** Of v2. */
export interface NewWidget extends KubernetesObject {
  readonly spec?: { readonly dimensions?: { readonly size?: number } };
}

export const widget = (name: string, size = 1): object => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec: { size },
});

export const newWidget = (name: string, size = 1): object => ({
  apiVersion: "example.com/v2",
  kind: "Widget",
  metadata: { name },
  spec: { dimensions: { size } },
});

/** In the order in which a real server names them for custom resources. */
const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

const define = (version: string): Resource =>
  defineResource({
    group,
    version,
    kind: "Widget",
    plural: "widgets",
    shortNames: ["wd"],
    subresources: ["status"],
    verbs,
  });

const stored = define("v1");
const served = define("v2");
const rules: KindRules = { resource: stored, generation: "spec" };
const columns = () => [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }];

export const openApiPath = "/apis/example.com/v1/namespaces/{namespace}/widgets";

/** Served as stored. Nothing is known of its fields unless a schema is given. */
export const storedWidgets = (schema?: ObjectSchema): ServedResource =>
  servedResource({
    resource: stored,
    rules,
    codec: unstructuredCodec(stored, schema),
    columns,
    openApi: {
      kind: "own",
      paths: { [openApiPath]: { get: {} } },
      schemas: { "com.example.v1.Widget": { type: "object" } },
    },
  });

export interface Conversions {
  /** The names of the objects of each call, in the order of the calls. */
  readonly fromStored: string[][];
  readonly toStored: string[][];
  /** Called before a call answers: may wait, or throw. */
  before(names: readonly string[]): Promise<void>;
}

export const countedConversions = (): Conversions => ({ fromStored: [], toStored: [], before: async () => {} });

/** The same objects as v2, in which a size counts so many times. */
export function convertedWidgets(conversions: Conversions, times = 1): ServedResource {
  return servedResource({
    resource: served,
    rules,
    version: {
      selectableFields: {
        names: ["spec.dimensions.size"],
        valuesOf: (object) => ({ "spec.dimensions.size": String((object as NewWidget).spec?.dimensions?.size) }),
      },
    },
    conversion: {
      kind: "batched",
      async fromStored(objects) {
        const names = namesOf(objects);
        conversions.fromStored.push(names);
        await conversions.before(names);
        return objects.map((object) => toNew(object, times));
      },
      async toStored(drafts) {
        const names = namesOf(drafts);
        conversions.toStored.push(names);
        await conversions.before(names);
        return drafts.map((draft) => toOld(draft as KubernetesObject) as unknown as Draft<KubernetesObject>);
      },
    },
    codec: unstructuredCodec(served),
    storedCodec: unstructuredCodec(stored),
    columns,
  });
}

const namesOf = (objects: readonly { readonly metadata: { readonly name?: string } }[]) =>
  objects.map(({ metadata }) => metadata.name ?? "");

function toNew({ spec, ...object }: Widget, times: number): NewWidget {
  const size = (spec?.size ?? 0) * times;
  return { ...structuredClone(object), apiVersion: "example.com/v2", spec: { dimensions: { size } } };
}

function toOld({ spec, ...object }: NewWidget): Widget {
  return { ...structuredClone(object), apiVersion: "example.com/v1", spec: { size: spec?.dimensions?.size ?? 0 } };
}
