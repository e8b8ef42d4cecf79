// Definitions of custom resources. A real server tells their state when it gets to it, so none is kept here.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const object = { type: "object" };
const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: object } };
const names = { plural: "things", kind: "Thing" };
const own = { metadata: { name: "things.{ns}.example.com" } };
const spec = (more: object) => ({ ...own, spec: more });
const versions = (...all: object[]) => spec({ versions: all });
const schema = (openAPIV3Schema: object, more: object = {}) =>
  versions({ ...version, ...more, schema: { openAPIV3Schema } });
const field = (a: object) => schema({ ...object, properties: { a } });
const list = (more: object, item: object = { ...object, properties: { k: { type: "string" } } }) =>
  field({ type: "array", items: item, ...more });
const defaulted = (a: object, value: unknown) => field({ ...a, default: value });
const text = { type: "string" };
const integer = { type: "integer" };
const nested = { ...object, properties: { b: integer }, required: ["b"] };
const rule = (more: object) => field({ type: "string", "x-kubernetes-validations": [more] });

export const apiextensionsScenes: readonly Scene[] = [
  kindScene({
    name: "custom resource definitions",
    path,
    object: {
      kind: "CustomResourceDefinition",
      apiVersion: "apiextensions.k8s.io/v1",
      metadata: { name: "things.{ns}.example.com" },
      spec: { group: "{ns}.example.com", scope: "Namespaced", names, versions: [version] },
      status: { storedVersions: ["v7"] },
    },
    isStored: false,
    others: {
      "kept by anybody": { metadata: { name: "things.{ns}.example.com", finalizers: ["x"] } },
      "from a prefix": { metadata: { name: "things.{ns}.example.com", generateName: "A_b" } },
      "under another name": {},
      "without anything": { spec: undefined },
      "of no group": spec({ group: "" }),
      "of a short group": { metadata: { name: "things.a" }, spec: { group: "a" } },
      "of a bad group": { metadata: { name: "things.A_b" }, spec: { group: "A_b" } },
      "of a group of the community's": { metadata: { name: "things.{ns}.k8s.io" }, spec: { group: "{ns}.k8s.io" } },
      "approved badly": {
        metadata: { name: "things.{ns}.k8s.io", annotations: { "api-approved.kubernetes.io": "yes" } },
        spec: { group: "{ns}.k8s.io" },
      },
      "not approved": {
        metadata: { name: "things.{ns}.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, a test" } },
        spec: { group: "{ns}.k8s.io" },
      },
      "of a bad scope": spec({ scope: "X" }),
      "of no names": spec({ names: {} }),
      "of bad names": spec({
        names: { plural: "things", kind: "A_b", singular: "A", listKind: "1", shortNames: ["A"], categories: ["B_c"] },
      }),
      "of a list that is itself": spec({ names: { ...names, listKind: "Thing" } }),
      "with all names": spec({
        names: { ...names, singular: "thing", listKind: "Things", shortNames: ["t"], categories: ["all"] },
      }),
      "that keeps all": spec({ preserveUnknownFields: true }),
      "of bad versions": versions({ ...version, name: "1" }),
      "of a version twice": versions(version, { ...version, storage: false }),
      "stored twice": versions(version, { ...version, name: "v2" }),
      "stored never": versions({ ...version, storage: false }),
      "of two versions": versions(version, {
        ...version,
        name: "v2",
        storage: false,
        schema: { openAPIV3Schema: { ...object, description: "d" } },
      }),
      "without a schema": versions({ ...version, schema: undefined }),
      "without one schema": versions(version, { name: "v2", served: true, storage: false }),
      deprecated: versions({ ...version, deprecated: true, deprecationWarning: "old" }),
      "deprecated badly": versions({ ...version, deprecationWarning: "old" }),
      "deprecated with a tab": versions({ ...version, deprecated: true, deprecationWarning: "a\tb" }),
      "with a default": defaulted(text, "x"),
      "with a default of another type": defaulted(integer, "x"),
      "with a default of a fraction": defaulted(integer, 1.5),
      "with a default of null": defaulted({ ...text, nullable: true }, null),
      "with a default that is a whole number": defaulted({ type: "number" }, 3),
      "with a default that is too long": defaulted({ ...text, maxLength: 2 }, "abc"),
      "with a default that is too short": defaulted({ ...text, minLength: 4 }, "abc"),
      "with a default of another pattern": defaulted({ ...text, pattern: "^b+$" }, "abc"),
      "with a default of another format": defaulted({ ...text, format: "ipv4" }, "abc"),
      "with a default that is no date": defaulted({ ...text, format: "date-time" }, "2026-02-30T00:00:00Z"),
      "with a default that is no UUID": defaulted({ ...text, format: "uuid" }, "1"),
      "with a default of an unknown format": defaulted({ ...text, format: "colour" }, "abc"),
      "with a default of none of them": defaulted({ ...text, enum: ["x", "y"] }, "z"),
      "with a default that is too large": defaulted({ ...integer, maximum: 3 }, 4),
      "with a default that is as large as it must not be": defaulted(
        { ...integer, maximum: 3, exclusiveMaximum: true },
        3,
      ),
      "with a default that is too small": defaulted({ ...integer, minimum: 3 }, 2),
      "with a default that is no multiple": defaulted({ ...integer, multipleOf: 3 }, 4),
      "with a default of a whole number within fractions": defaulted({ ...integer, minimum: 1.5 }, 2),
      "with a default below fractions": defaulted({ ...integer, maximum: 1.5 }, 2),
      "with a default beyond a short fraction": defaulted({ type: "number", format: "float" }, 1e39),
      "with a default of another host name": defaulted({ ...text, format: "hostname" }, "a_b"),
      "with a default of another network": defaulted({ ...text, format: "cidr" }, "10.0.0.0/33"),
      "with a default of another address": defaulted({ ...text, format: "uri" }, "a b"),
      "with a default of another duration": defaulted({ ...text, format: "duration" }, "5 x"),
      "with a default of a duration": defaulted({ ...text, format: "duration" }, "3 days"),
      "with a default of bytes": defaulted({ ...text, format: "byte" }, "a"),
      "with a default of a mail address": defaulted({ ...text, format: "email" }, "a@b"),
      "with a default of no mail address": defaulted({ ...text, format: "email" }, "a"),
      "with a default of another MAC address": defaulted({ ...text, format: "mac" }, "01:02:03:04:05"),
      "with a default of a short name": defaulted({ ...text, format: "k8s-short-name" }, "A"),
      "with a default beyond 32 bits": defaulted({ ...integer, format: "int32" }, 2147483648),
      "with a default of unknown fields": defaulted(nested, { b: 1, c: 2 }),
      "with a default of kept fields": defaulted(
        { ...nested, "x-kubernetes-preserve-unknown-fields": true },
        { b: 1, c: 2 },
      ),
      "with a default that lacks a field": defaulted(nested, {}),
      "with a default of a bad field": defaulted(nested, { b: "x" }),
      "with a default of a bad item": defaulted({ type: "array", items: integer }, [1, "x"]),
      "with a default of too many items": defaulted({ type: "array", items: integer, maxItems: 1 }, [1, 2]),
      "with a default of too few items": defaulted({ type: "array", items: integer, minItems: 3 }, [1, 2]),
      "with a default of too many fields": defaulted(
        { ...object, additionalProperties: text, maxProperties: 1 },
        { a: "1", b: "2" },
      ),
      "with a default of a bad value in a map": defaulted({ ...object, additionalProperties: integer }, { a: "1" }),
      "with a default for a number or text": defaulted({ "x-kubernetes-int-or-string": true }, "a"),
      "with a default for a number or text of neither": defaulted({ "x-kubernetes-int-or-string": true }, true),
      "with a default of no alternative": defaulted({ ...integer, anyOf: [{ minimum: 5 }, { maximum: 1 }] }, 3),
      "with a default of two alternatives": defaulted({ ...integer, oneOf: [{ minimum: 1 }, { maximum: 5 }] }, 3),
      "with a default that not all allow": defaulted({ ...integer, allOf: [{ minimum: 5 }, { maximum: 5 }] }, 3),
      "with a default that is excluded": defaulted({ ...integer, not: { enum: [3] } }, 3),
      "with a bad default inside": field({ ...object, properties: { b: { ...integer, default: "x" } } }),
      "with a bad default of items": field({
        type: "array",
        items: { ...object, properties: { b: { ...integer, default: "x" } } },
      }),
      "of no type": schema({}),
      "of another type": schema({ type: "array", items: object }),
      nullable: schema({ ...object, nullable: true }),
      "with a status": schema(object, { subresources: { status: {} } }),
      "with a status and more": schema({ ...object, additionalProperties: { type: "string" } }),
      "with a scale": schema(object, {
        subresources: {
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
      }),
      "with a bad scale": schema(object, {
        subresources: { scale: { specReplicasPath: "a", statusReplicasPath: ".spec.a", labelSelectorPath: ".a" } },
      }),
      "with a scale of nothing": schema(object, { subresources: { scale: {} } }),
      "with columns": schema(object, {
        additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: ".spec.a" }],
      }),
      "with bad columns": schema(object, {
        additionalPrinterColumns: [{}, { name: "a", type: "X", format: "X", jsonPath: "a" }],
      }),
      "with fields to select": schema(
        { ...object, properties: { spec: { ...object, properties: { a: { type: "string" } } } } },
        { selectableFields: [{ jsonPath: ".spec.a" }] },
      ),
      "with bad fields to select": schema(
        { ...object, properties: { spec: { ...object, properties: { a: { type: "string" } } } } },
        {
          selectableFields: [
            { jsonPath: "" },
            { jsonPath: ".spec.b" },
            { jsonPath: ".spec" },
            { jsonPath: ".spec.a" },
            { jsonPath: ".spec.a" },
          ],
        },
      ),
      "with conversion": spec({
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { service: { namespace: "n", name: "s" } } },
        },
      }),
      "with bad conversion": spec({
        conversion: { strategy: "X", webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "a" } } },
      }),
      "with conversion nowhere": spec({ conversion: { strategy: "Webhook" } }),
      "with conversion at odd places": spec({
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v2", "v2"], clientConfig: { url: "http://a" } },
        },
      }),
      "with conversion at two places": spec({
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { url: "https://a", service: { namespace: "n", name: "s" } },
          },
        },
      }),
      "with a field of no type": field({}),
      "with a field of a type nobody knows": field({ type: "X" }),
      "with a field of null": field({ type: "null" }),
      "with a list of nothing": field({ type: "array" }),
      "with a list of lists of nothing": field({ type: "array", items: {} }),
      "with a default in metadata": schema({
        ...object,
        properties: { metadata: { ...object, properties: { name: { type: "string", default: "a" } } } },
      }),
      "with metadata": schema({
        ...object,
        properties: {
          metadata: { ...object, properties: { name: { type: "string", maxLength: 5 } } },
          kind: { type: "string" },
          apiVersion: { type: "string" },
        },
      }),
      "with odd metadata": schema({
        ...object,
        properties: { metadata: { ...object, properties: { labels: object } } },
      }),
      "with bad metadata": schema({ ...object, properties: { metadata: { type: "string" }, kind: object } }),
      "with properties and others": field({
        ...object,
        properties: { b: { type: "string" } },
        additionalProperties: { type: "string" },
      }),
      "with others": field({ ...object, additionalProperties: { type: "string" } }),
      "with unique items": field({ type: "array", uniqueItems: true, items: { type: "string" } }),
      "with things that are not supported": field({ ...object, id: "a", $ref: "b" }),
      "with unknown fields": field({ ...object, "x-kubernetes-preserve-unknown-fields": true }),
      "with no unknown fields": field({ ...object, "x-kubernetes-preserve-unknown-fields": false }),
      "with a number or text": field({
        "x-kubernetes-int-or-string": true,
        anyOf: [{ type: "integer" }, { type: "string" }],
      }),
      "with a number or text and more": field({
        "x-kubernetes-int-or-string": true,
        "x-kubernetes-preserve-unknown-fields": true,
      }),
      "with an embedded resource": field({
        ...object,
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      }),
      "with an embedded nothing": field({ "x-kubernetes-embedded-resource": true }),
      "with alternatives that are not structural": field({
        type: "string",
        anyOf: [{ type: "string", description: "d", default: "a", title: "t", nullable: true }],
      }),
      "with alternatives of what is not there": schema({
        ...object,
        properties: {
          a: {
            ...object,
            properties: { b: { type: "string" } },
            oneOf: [{ required: ["b"] }, { properties: { c: { pattern: "x" } } }],
          },
        },
      }),
      "with a bad pattern": field({ type: "string", pattern: "a(" }),
      "with an odd format": field({ type: "string", format: "nonsense" }),
      "with a format": field({ type: "string", format: "date-time" }),
      "with a map type": field({ ...object, "x-kubernetes-map-type": "atomic" }),
      "with a bad map type": field({ type: "string", "x-kubernetes-map-type": "X" }),
      "with a bad list type": field({ type: "string", "x-kubernetes-list-type": "X" }),
      "with a set": list({ "x-kubernetes-list-type": "set" }, { type: "string" }),
      "with a set of objects": list({ "x-kubernetes-list-type": "set" }),
      "with a map": list(
        { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
        { ...object, required: ["k"], properties: { k: { type: "string" } } },
      ),
      "with a map without keys": list({ "x-kubernetes-list-type": "map" }),
      "with a map of optional keys": list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }),
      "with a map of keys that are not there": list({
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["x"],
      }),
      "with a map of text": list(
        { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
        { type: "string" },
      ),
      "with keys but no map": list({ "x-kubernetes-list-map-keys": ["k"] }),
      "with a rule": rule({ rule: "self != ''", message: "m" }),
      "with a rule of nothing": rule({ rule: " " }),
      "with a bad message": rule({ rule: "true", message: "a\nb", reason: "X" }),
      "with a blank message": rule({ rule: "true", message: " ", messageExpression: " ", fieldPath: " " }),
    },
    badName: "A_b",
  }),
];
