// Decodes and prints ConversionReviews of `apiextensions.k8s.io/v1` and `v1beta1`. The response has the same objects in the desired version and
// in the same order, or, if objects failed, an error for each of these: the API server accepts only a complete conversion.
import { type KubernetesObject, newBadRequest } from "../../api/index.ts";
import { type Clock, KubeloopError, toError } from "../../base/index.ts";
import { recordOf, textOf } from "./admission-review.ts";
import { type Converter, isOfConverter } from "./converter.ts";

export interface ConversionReview {
  readonly apiVersion: string;
  readonly uid: string;
  readonly desiredApiVersion: string;
  readonly objects: readonly unknown[];
}

export interface ObjectFailure {
  readonly index: number;
  /** Kind, namespace and name, as far as they can be read. */
  readonly object: string;
  readonly error: Error;
}

export interface Conversion {
  readonly objects: readonly KubernetesObject[];
  readonly failures: readonly ObjectFailure[];
}

const versions = ["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"];
/** How many failed objects the message names; the causes contain all. */
const mostNamed = 10;
/** After this time the conversion yields to the event loop. */
const turnMs = 5;

/** Throws a BadRequest error that names what is missing. */
export function decodeConversionReview(json: unknown): ConversionReview {
  const review = recordOf(json, "the body");
  const apiVersion = review["apiVersion"];
  if (review["kind"] !== "ConversionReview" || typeof apiVersion !== "string" || !versions.includes(apiVersion)) {
    throw newBadRequest(`expected a ConversionReview of ${versions.join(" or ")}`);
  }
  const request = recordOf(review["request"], "request");
  const [uid, desiredApiVersion] = [textOf(request["uid"]), textOf(request["desiredAPIVersion"])];
  if (uid === "") throw newBadRequest("request.uid is missing");
  if (desiredApiVersion === "") throw newBadRequest("request.desiredAPIVersion is missing");
  const objects = request["objects"] ?? [];
  if (!Array.isArray(objects)) throw newBadRequest("request.objects is not a list");
  return { apiVersion, uid, desiredApiVersion, objects };
}

/** Converts the objects one after the other, and yields to the event loop in between, because a list may have thousands of objects. */
export async function convertAll(
  { objects, desiredApiVersion }: ConversionReview,
  converters: Iterable<Converter>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Conversion> {
  const known = [...converters];
  const converted: KubernetesObject[] = [];
  const failures: ObjectFailure[] = [];
  let turnEndsMs = clock.monotonic() + turnMs;
  for (const [index, json] of objects.entries()) {
    signal.throwIfAborted();
    try {
      const converter = known.find((each) => isOfConverter(each, json));
      if (converter === undefined) throw new KubeloopError("nobody converts this kind", { reason: "Conversion" });
      converted.push(await converter.convert(json, desiredApiVersion));
    } catch (error) {
      failures.push({ index, object: describe(json), error: toError(error) });
    }
    if (clock.monotonic() < turnEndsMs) continue;
    await clock.yield();
    turnEndsMs = clock.monotonic() + turnMs;
  }
  return { objects: converted, failures };
}

/** `print` converts the review with its objects to JSON text. */
export function printConversionReview(
  { apiVersion, uid, objects: asked }: ConversionReview,
  { objects, failures }: Conversion,
  print: (value: unknown) => string,
): string {
  const result = failures.length === 0 ? { status: "Success" } : failureStatus(failures, asked.length);
  const convertedObjects = failures.length === 0 ? objects : [];
  return print({ kind: "ConversionReview", apiVersion, response: { uid, convertedObjects, result } });
}

function failureStatus(failures: readonly ObjectFailure[], total: number) {
  const named = failures.slice(0, mostNamed).map(({ object, error }) => `${object}: ${error.message}`);
  const more = failures.length > named.length ? [`and ${failures.length - named.length} more`] : [];
  return {
    status: "Failure",
    message: `${failures.length} of ${total} objects cannot be converted: ${[...named, ...more].join("; ")}`,
    details: {
      causes: failures.map(({ index, error }) => ({ field: `objects[${index}]`, message: error.message })),
    },
  };
}

function describe(json: unknown): string {
  if (typeof json !== "object" || json === null) return "an object";
  const { kind, metadata } = json as { readonly kind?: unknown; readonly metadata?: unknown };
  const { namespace, name } = (typeof metadata === "object" && metadata !== null ? metadata : {}) as {
    readonly namespace?: unknown;
    readonly name?: unknown;
  };
  const key = [namespace, name].filter((part) => typeof part === "string" && part !== "").join("/");
  return [typeof kind === "string" ? kind : "an object", key].filter((part) => part !== "").join(" ");
}
