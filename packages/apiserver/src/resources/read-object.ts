// What a request brings, as a draft: the body in whatever encoding, checked against the kind it must be, in the normal form, defaulted, and
// in the version that is stored. The bytes are the sender's; the draft is the request's own.
import {
  collectBytes,
  type GroupVersionKind,
  headerValue,
  type KubernetesObject,
  newBadRequest,
  newRequestEntityTooLarge,
  newStatusError,
  type ObjectSchema,
  printGroupVersion,
  quote,
  type Resource,
  schemaOfKind,
  TransportError,
} from "@kubeloop/core/api";
import { inFlight } from "@kubeloop/core/base";
import type { Draft } from "../kinds/kind-rules.ts";
import {
  type BodyTarget,
  decodeDeleteOptions,
  decodeDeleteOptionsValue,
  decodeJsonBody,
  decodeValueBody,
  decodeYamlBody,
  deleteOptionsKind,
  findDeleteOptionsFault,
  findKindFault,
  toNormalForm,
  UnmarshalError,
} from "../wire/decode/index.ts";
import { protobufOn } from "../wire/protobuf-encodings.ts";
import type { ServedResource } from "./catalogue.ts";
import type { WriteOptions } from "./request-options.ts";
import type { RequestScope } from "./request-scope.ts";

export const maxBodyBytes = 3 * 1024 * 1024;

type AnyDraft = Draft<KubernetesObject>;
type Validation = Pick<WriteOptions, "fieldValidation">;

/** An object of the resource's kind, in the version that is stored. Throws 400, 413 and 415. */
export async function readObject(scope: RequestScope, options: Validation): Promise<AnyDraft> {
  const read = await readDrafts(scope, options);
  return await read();
}

/** The same object as often as it is asked for, each time the asker's own. */
export async function readDrafts(scope: RequestScope, options: Validation): Promise<() => Promise<AnyDraft>> {
  const { served, breath } = scope;
  const decode = await readBody(scope, served.resource, options);
  return async () => {
    const plain = await decode();
    if (breath.isLongSince()) await breath.take();
    return toStored(served, plain);
  };
}

/** An object of some kind, as it was sent, in the normal form. */
export async function readPlain(scope: RequestScope, target: BodyTarget, options: Validation): Promise<AnyDraft> {
  const decode = await readBody(scope, target, options);
  return await decode();
}

async function readBody(scope: RequestScope, target: BodyTarget, options: Validation) {
  const { body } = scope.request;
  const bytes = body.kind === "value" ? undefined : await readBytes(scope);
  return async () => {
    const { object, warnings } =
      body.kind === "value"
        ? decodeValueBody(body.value, target, options)
        : await decodeBytes(scope, bytes as Uint8Array, target, options);
    scope.warnings.addAll(warnings);
    return object;
  };
}

async function decodeBytes(scope: RequestScope, bytes: Uint8Array, target: BodyTarget, options: Validation) {
  switch (mediaTypeOf(scope)) {
    case "application/json":
      return decodeJsonBody(bytes, target, options);
    case "application/yaml":
      return await inFlight(scope.server.clock, "reading yaml", () => decodeYamlBody(bytes, target, options));
    case "application/vnd.kubernetes.protobuf": {
      const protobuf = await protobufOn(scope.server.clock);
      const { value } = protobuf.decodeEnvelope(bytes, {
        apiVersion: printGroupVersion(target),
        kind: target.kind,
        findFault: (said) => findKindFault(said, target),
      });
      // What protobuf cannot say cannot be wrong: there are no unknown names in it.
      return decodeValueBody(value, target, { fieldValidation: "Ignore" });
    }
    default:
      throw unsupported();
  }
}

function mediaTypeOf({ request }: RequestScope): string {
  const [type = ""] = (headerValue(request.headers, "content-type") ?? "").split(";");
  return type.trim() === "" ? "application/json" : type.trim().toLowerCase();
}

/** All of the body. Throws 413. */
export async function readBytes({ request, breath }: RequestScope): Promise<Uint8Array> {
  const { body } = request;
  if (body.kind === "none") return new Uint8Array();
  if (body.kind === "value") return Buffer.from(JSON.stringify(body.value), "utf8");
  if (body.bytes instanceof Uint8Array) {
    if (body.bytes.length > maxBodyBytes) throw tooLarge();
    return body.bytes;
  }
  try {
    const bytes = await collectBytes(body.bytes, { maxBytes: maxBodyBytes });
    breath.begin();
    return bytes;
  } catch (error) {
    if (error instanceof TransportError && error.reason === "BodyTooLarge") throw tooLarge();
    throw error;
  }
}

/** DeleteOptions; undefined where the body holds nothing. */
export async function readOptionsBody(scope: RequestScope): Promise<object | undefined> {
  const { body } = scope.request;
  if (body.kind === "none") return undefined;
  if (body.kind === "value") return decodeDeleteOptionsValue(body.value);
  const bytes = await readBytes(scope);
  if (bytes.length === 0) return undefined;
  switch (mediaTypeOf(scope)) {
    case "application/json":
      return await decodeDeleteOptions(bytes, "json");
    case "application/yaml":
      return await inFlight(scope.server.clock, "reading yaml", () => decodeDeleteOptions(bytes, "yaml"));
    case "application/vnd.kubernetes.protobuf": {
      const protobuf = await protobufOn(scope.server.clock);
      const { value } = protobuf.decodeEnvelope(bytes, {
        apiVersion: printGroupVersion(deleteOptionsKind),
        kind: deleteOptionsKind.kind,
        findFault: findDeleteOptionsFault,
        isOptions: true,
      });
      return decodeDeleteOptionsValue(value);
    }
    default:
      throw unsupported();
  }
}

export interface DecodedValue {
  readonly draft: AnyDraft;
  readonly strictFaults: readonly string[];
}

/** A value of the resource's kind (a patched object), in the version that is stored. Throws 400. */
export function decodeValue({ served }: Pick<RequestScope, "served">, value: unknown): DecodedValue {
  const { group, version, kind } = served.resource;
  const { draft, strictFaults } = decodePlain(value, { group, version, kind });
  return { draft: toStored(served, draft), strictFaults };
}

export function decodePlain(value: unknown, { group, version, kind }: GroupVersionKind): DecodedValue {
  const apiVersion = printGroupVersion({ group, version });
  const schema = schemaOfKind({ apiVersion, kind });
  if (schema === undefined)
    throw newBadRequest(`no kind ${quote(kind)} is registered for version ${quote(apiVersion)}`);
  try {
    const { object, strictFaults } = toNormalForm(value, schema as ObjectSchema);
    return { draft: { ...object, kind, apiVersion } as unknown as AnyDraft, strictFaults };
  } catch (error) {
    if (error instanceof UnmarshalError) throw newBadRequest(error.message);
    throw error;
  }
}

function toStored({ version, rules }: ServedResource, draft: AnyDraft): AnyDraft {
  if (version !== undefined) {
    version.defaults?.(draft);
    const stored = version.toStored(draft);
    rules.defaults?.(stored);
    return stored;
  }
  rules.defaults?.(draft);
  return draft;
}

const emptyObjects = new WeakMap<Resource, KubernetesObject>();

/** An object of the kind that holds nothing, as a server prints it. */
export function emptyObject({ resource }: { readonly resource: Resource }): KubernetesObject {
  let empty = emptyObjects.get(resource);
  if (empty === undefined) {
    empty = decodePlain({}, resource).draft as KubernetesObject;
    emptyObjects.set(resource, empty);
  }
  return empty;
}

const tooLarge = () => newRequestEntityTooLarge(`limit is ${maxBodyBytes}`);

const unsupported = () =>
  newStatusError({
    code: 415,
    reason: "UnsupportedMediaType",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  });
