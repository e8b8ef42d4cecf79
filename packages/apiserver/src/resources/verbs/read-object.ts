// What a request brings, as a draft: the body in whatever encoding, checked against the kind it must be, in the normal form, defaulted, and
// in the version that is stored. The bytes are the sender's; the draft is the request's own.
import {
  collectBytes,
  headerValue,
  type KubernetesObject,
  newRequestEntityTooLarge,
  newStatusError,
  printGroupVersion,
  TransportError,
} from "@kubeloop/core/api";
import { inFlight } from "@kubeloop/core/base";
import type { Draft } from "../../kinds/kind-rules.ts";
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
} from "../../wire/decode/index.ts";
import { protobufOn } from "../../wire/protobuf-encodings.ts";
import type { WriteOptions } from "../options/request-options.ts";
import { toStored } from "../registry/decode-value.ts";
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
  const { served, yieldBudget } = scope;
  const decode = await readBody(scope, served.codec, options);
  return async () => {
    const plain = await decode();
    if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
    return toStored(scope, plain);
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
        apiVersion: target.apiVersion,
        kind: target.kind,
        message: target.protobufMessage,
        isUnstructured: target.isUnstructured,
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
export async function readBytes({ request, yieldBudget }: RequestScope): Promise<Uint8Array> {
  const { body } = request;
  if (body.kind === "none") return new Uint8Array();
  if (body.kind === "value") return Buffer.from(JSON.stringify(body.value), "utf8");
  if (body.bytes instanceof Uint8Array) {
    if (body.bytes.length > maxBodyBytes) throw tooLarge();
    return body.bytes;
  }
  try {
    const bytes = await collectBytes(body.bytes, { maxBytes: maxBodyBytes });
    yieldBudget.restart();
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

const tooLarge = () => newRequestEntityTooLarge(`limit is ${maxBodyBytes}`);

const unsupported = () =>
  newStatusError({
    code: 415,
    reason: "UnsupportedMediaType",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  });
