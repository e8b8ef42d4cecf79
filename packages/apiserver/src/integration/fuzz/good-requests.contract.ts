// Requests a good client sends, for every kind there is an example of: what mutations start from. A request is kept in parts, so that each
// part can be changed before it becomes bytes.
import { allResources, type Resource } from "@kubeloop/core/api";
import { reviews, type ServedObject, servedObjects } from "../../wire/protobuf/served-objects.fixture.ts";
import type { Draw } from "./draw.contract.ts";

export type Encoding = "json" | "yaml" | "protobuf";

/** A request before it is bytes. */
export interface Sketch {
  method: string;
  path: string;
  query: (readonly [name: string, value: string])[];
  headers: Record<string, string>;
  /** Undefined for none. */
  value: unknown;
  encoding: Encoding;
}

export interface Example {
  readonly resource: Resource;
  readonly object: ServedObject;
  readonly name: string;
}

export const examples: readonly Example[] = servedObjects.map((object) => {
  const resource = allResources().find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (resource === undefined) throw new Error(`no resource for ${object.apiVersion} ${object.kind}`);
  return { resource, object, name: String(object.metadata["name"]) };
});

export function collectionPath({ group, version, plural, namespaced }: Resource, namespace = "default"): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced && namespace !== "" ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

const plain = (method: string, path: string, value?: unknown): Sketch => ({
  method,
  path,
  query: [],
  headers: {},
  value,
  encoding: "json",
});

/** Makes the example, so that later requests find it. */
export const creation = ({ resource, object }: Example): Sketch => plain("POST", collectionPath(resource), object);

const accepts: readonly string[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/vnd.kubernetes.protobuf,application/json",
  "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "*/*",
];

const documents: readonly string[] = [
  "/",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/version",
  "/healthz",
  "/livez/ping",
  "/readyz",
  "/metrics",
  "/openapi/v3",
  "/openapi/v3/apis/apps/v1",
  "/openapi/v2",
];

/** The example as it is stored, if it is. */
export type Stored = (example: Example) => Promise<object | undefined>;

export async function goodRequest(draw: Draw, now: Stored): Promise<Sketch> {
  const sketch = await drawSketch(draw, now);
  if (!draw.oneIn(3)) sketch.headers["accept"] = draw.from(accepts);
  if (sketch.value !== undefined && sketch.headers["content-type"] === undefined) {
    sketch.encoding = draw.from(["json", "json", "json", "protobuf", "protobuf", "yaml"] as const);
  }
  return sketch;
}

async function drawSketch(draw: Draw, now: Stored): Promise<Sketch> {
  const example = draw.from(examples);
  const { resource, object } = example;
  const path = `${collectionPath(resource)}/${example.name}`;
  switch (draw.below(12)) {
    case 0:
    case 1:
      return creation(example);
    case 2: {
      const { name: _name, ...metadata } = object.metadata;
      return { ...creation(example), value: { ...object, metadata: { ...metadata, generateName: "gen-" } } };
    }
    case 3:
      return plain("PUT", path, (await now(example)) ?? object);
    case 4:
      return patchSketch(draw, path, object);
    case 5:
      return await onSubresource(draw, example, now);
    case 6:
      return plain(draw.from(["GET", "HEAD"]), path);
    case 7:
      return draw.oneIn(4) ? deletion(draw, collectionPath(resource)) : deletion(draw, path);
    case 8:
      return listSketch(draw, resource);
    case 9: {
      const watch = listSketch(draw, resource);
      watch.query = [["watch", "true"], ...watch.query, ...watchQuery(draw)];
      return watch;
    }
    case 10: {
      const [review, body] = draw.from(reviews);
      return plain("POST", review, body);
    }
    default:
      return plain("GET", draw.from(documents));
  }
}

function listSketch(draw: Draw, resource: Resource): Sketch {
  const sketch = plain("GET", collectionPath(resource, draw.from(["default", "", "other"])));
  if (draw.oneIn(3)) sketch.query.push(["limit", draw.from(["1", "2", "500"])]);
  if (draw.oneIn(4))
    sketch.query.push(["labelSelector", draw.from(["app=web", "app in (web,x),!none", "tier notin (a)"])]);
  if (draw.oneIn(4)) sketch.query.push(["fieldSelector", draw.from(["metadata.name=p", "metadata.namespace!=x"])]);
  if (draw.oneIn(5)) sketch.query.push(["resourceVersion", draw.from(["0", "1", "60", "999999"])]);
  return sketch;
}

function watchQuery(draw: Draw): (readonly [string, string])[] {
  const query: (readonly [string, string])[] = [];
  if (draw.oneIn(2)) query.push(["allowWatchBookmarks", "true"]);
  if (draw.oneIn(2)) query.push(["timeoutSeconds", draw.from(["1", "60", "3600"])]);
  if (draw.oneIn(3)) query.push(["sendInitialEvents", "true"], ["resourceVersionMatch", "NotOlderThan"]);
  return query;
}

function deletion(draw: Draw, path: string): Sketch {
  const kind = { kind: "DeleteOptions", apiVersion: draw.from(["v1", "meta.k8s.io/v1"]) };
  const more = draw.from([
    {},
    { propagationPolicy: "Foreground" },
    { gracePeriodSeconds: 0 },
    { preconditions: { uid: "x" } },
    { orphanDependents: true },
    { dryRun: ["All"] },
  ]);
  return plain("DELETE", path, draw.oneIn(3) ? undefined : { ...kind, ...more });
}

const patchTypes: readonly string[] = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

function patchSketch(draw: Draw, path: string, object: ServedObject): Sketch {
  const type = draw.from(patchTypes.slice(0, draw.oneIn(10) ? 4 : 3));
  const { spec } = object as { readonly spec?: unknown };
  const merge = draw.from<unknown>([
    { metadata: { labels: { a: "b", app: null } } },
    { metadata: { finalizers: ["example.com/x"] } },
    { spec },
    object,
    { status: { replicas: 1, conditions: [{ type: "Ready", status: "True" }] } },
  ]);
  const operations = [
    { op: "test", path: "/metadata/name", value: object.metadata["name"] },
    { op: "add", path: "/metadata/labels", value: { a: "b" } },
    { op: "replace", path: "/metadata/labels/a", value: "c" },
    { op: "copy", from: "/metadata/labels", path: "/metadata/annotations" },
    { op: "move", from: "/metadata/labels/a", path: "/metadata/labels/d" },
    { op: "remove", path: "/metadata/labels" },
  ].slice(0, 1 + draw.below(6));
  return {
    ...plain("PATCH", path, type.includes("json-patch") ? operations : merge),
    headers: { "content-type": type },
  };
}

async function onSubresource(draw: Draw, example: Example, now: Stored): Promise<Sketch> {
  const { resource, name, object } = example;
  if (resource.subresources.length === 0) return plain("GET", `${collectionPath(resource)}/${name}`);
  const sub = draw.from(resource.subresources);
  const path = `${collectionPath(resource)}/${name}/${sub.name}`;
  const identity = { apiVersion: sub.group === "" ? sub.version : `${sub.group}/${sub.version}`, kind: sub.kind };
  const meta = { metadata: { name, namespace: resource.namespaced ? "default" : undefined } };
  const bodies: Readonly<Record<string, unknown>> = {
    Scale: { ...identity, ...meta, spec: { replicas: 3 } },
    Eviction: { ...identity, ...meta, deleteOptions: { gracePeriodSeconds: 0 } },
    Binding: { ...identity, ...meta, target: { kind: "Node", name: "n" } },
    TokenRequest: { ...identity, ...meta, spec: { audiences: ["x"], expirationSeconds: 600 } },
  };
  const body = bodies[sub.kind] ?? (await now(example)) ?? object;
  switch (draw.from(["GET", "PUT", "PATCH", "POST"] as const)) {
    case "GET":
      return plain("GET", path);
    case "PUT":
      return plain("PUT", path, body);
    case "PATCH":
      return patchSketch(draw, path, object);
    case "POST":
      return plain("POST", path, body);
  }
}
