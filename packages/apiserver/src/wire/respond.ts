// Gives an answer the form its client asked for: values for readers inside the process, else bytes in JSON, YAML or protobuf, of the
// object, its metadata or a table.
import {
  type ApiResponse,
  bytesResponse,
  type HttpHeaders,
  type KubernetesObject,
  newStatusError,
  type Resource,
  StatusError,
  valueResponse,
} from "@kubeloop/core/api";
import { type Clock, childSignal, deepFreeze } from "@kubeloop/core/base";
import type { PrintContext } from "../kinds/kind-rules.ts";
import { RequestYieldBudget } from "../storage/request-yield-budget.ts";
import { type Answer, errorMessage, type WatchMessage } from "./answer.ts";
import { jsonLineOf } from "./json-encodings.ts";
import { type ListSource, listBytes, listValue, showList } from "./list-body.ts";
import { contentTypeOf, type OutputForm } from "./output-form.ts";
import { type Presentation, viewOf } from "./presentation.ts";
import { yamlOn } from "./print-yaml.ts";
import { protobufOn, rawOf } from "./protobuf-encodings.ts";
import type { ConvertAll } from "./version-conversion.ts";
import { warningHeaders } from "./warning-headers.ts";
import { type FrameOf, frameOf } from "./watch-frames.ts";

export interface RespondOptions {
  readonly form: OutputForm;
  readonly prefers: "bytes" | "values";
  readonly warnings: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function respond(answer: Answer, options: RespondOptions): Promise<ApiResponse> {
  const context = { nowMs: options.clock.now() };
  switch (answer.kind) {
    case "object":
      return respondObject(answer.code, answer.object, answer.presentation, { ...options, context });
    case "plain":
      return respondPlain(answer.code, answer.object, answer.codec?.protobufMessage, options);
    case "list":
      return respondList(answer.list, answer.presentation, { ...options, context });
    case "watch":
      return respondWatch(answer, options);
    case "text":
      return bytesResponse(answer.code, Buffer.from(answer.text, "utf8"), {
        "content-type": answer.contentType ?? "text/plain; charset=utf-8",
        ...warningHeaders(options.warnings),
      });
    case "response":
      return answer.response;
  }
}

type WithContext = RespondOptions & { readonly context: PrintContext };

async function respondObject(
  code: number,
  object: KubernetesObject,
  presentation: Presentation,
  options: WithContext,
): Promise<ApiResponse> {
  const { form } = options;
  if (form.view.kind === "metadata" && form.view.isList) {
    throw notThatView(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${goTypeOf(presentation.resource)})`,
    );
  }
  // No promise where the conversion is immediate.
  if (presentation.convertAll !== undefined) await presentation.convertAll([object], options.signal);
  const shown = viewOf(object, presentation, form, options.context);
  const isKept = form.view.kind === "object";
  // A view has a kind of its own.
  return respondPlain(code, shown, isKept ? presentation.codec.protobufMessage : undefined, options, isKept);
}

/** `isKept`: a frozen object whose encoding will be asked for again. */
async function respondPlain(
  code: number,
  object: object,
  messageName: string | undefined,
  { form, prefers, warnings, clock }: RespondOptions,
  isKept = false,
): Promise<ApiResponse> {
  const headers = warningHeaders(warnings);
  if (prefers === "values") return valueResponse(code, object, headers);
  const bytes = await encode(object, form, { isKept, messageName, clock });
  return bytesResponse(code, bytes, { ...headers, "content-type": contentTypeOf(form.media) });
}

async function encode(
  object: object,
  { media, isPretty }: OutputForm,
  options: { readonly isKept: boolean; readonly messageName: string | undefined; readonly clock: Clock },
): Promise<Uint8Array> {
  const { isKept, messageName, clock } = options;
  switch (media) {
    case "json":
      if (isPretty) return Buffer.from(JSON.stringify(object, null, 2), "utf8");
      return isKept ? jsonLineOf(object) : Buffer.from(`${JSON.stringify(object)}\n`, "utf8");
    case "yaml": {
      const print = await yamlOn(clock);
      return Buffer.from(print(object), "utf8");
    }
    case "protobuf": {
      const protobuf = await protobufOn(clock);
      const held = object as KubernetesObject;
      if (isKept) return protobuf.wrapRaw(held, rawOf(held, protobuf, messageName));
      return protobuf.encodeEnvelope(held, messageName);
    }
  }
}

async function respondList(list: ListSource, presentation: Presentation, options: WithContext): Promise<ApiResponse> {
  const { form, prefers, warnings, clock, signal, context } = options;
  const { view, media } = form;
  if (view.kind === "metadata" && !view.isList) {
    throw notThatView(
      `you requested PartialObjectMetadata, but the requested object is a list (*${goTypeOf(presentation.resource)}List)`,
    );
  }
  // A page is converted in one call.
  if (presentation.convertAll !== undefined) await presentation.convertAll(list.objects, signal);
  const shown = showList(list, presentation, view, context);
  const headers = warningHeaders(warnings);
  if (prefers === "values")
    return valueResponse(200, await listValue(shown, new RequestYieldBudget(clock, signal)), headers);
  return streamed({ ...headers, "content-type": contentTypeOf(media) }, await listBytes(shown, options));
}

function streamed(headers: HttpHeaders, bytes: AsyncIterable<Uint8Array>): ApiResponse {
  return { status: 200, headers, body: { kind: "bytes", bytes }, [Symbol.asyncDispose]: async () => {} };
}

function respondWatch(answer: Extract<Answer, { kind: "watch" }>, options: RespondOptions): ApiResponse {
  const { form, prefers, warnings, clock, signal } = options;
  const { presentation, watch } = answer;
  const life = childSignal(signal);
  // No message is a list: who asks for lists of metadata hears nothing, as upstream has it.
  const isMute = form.view.kind === "metadata" && form.view.isList;
  const { convertAll } = presentation;
  const messages = watch.messages(life.signal);
  const converted = convertAll === undefined ? messages : convertedBatches(messages, convertAll, life.signal);
  const batches = isMute ? mute(converted) : converted;
  const end = async () => life.abort(new Error("the response was let go"));
  const headers = warningHeaders(warnings);
  if (prefers === "values") {
    const values = eachValue(batches, presentation, form, clock);
    return { status: 200, headers, body: { kind: "values", values }, [Symbol.asyncDispose]: end };
  }
  const bytes = eachFrame(batches, presentation, form, clock);
  const contentType =
    form.media === "protobuf" ? `${contentTypeOf(form.media)};stream=watch` : contentTypeOf(form.media);
  return {
    status: 200,
    headers: { ...headers, "content-type": contentType },
    body: { kind: "bytes", bytes },
    [Symbol.asyncDispose]: end,
  };
}

/** Each batch in one call, before any of it is shown; what happens meanwhile is in the next. A conversion that fails ends the watch with an ERROR. */
async function* convertedBatches(
  batches: AsyncIterable<readonly WatchMessage[]>,
  convertAll: ConvertAll,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchMessage[]> {
  for await (const batch of batches) {
    try {
      await convertAll(
        batch.filter(({ type }) => type !== "ERROR").map(({ object }) => object),
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      yield [errorMessage(statusOf(error))];
      return;
    }
    yield batch;
  }
}

/** Only what went wrong. */
async function* mute(batches: AsyncIterable<readonly WatchMessage[]>): AsyncGenerator<readonly WatchMessage[]> {
  for await (const batch of batches) yield batch.filter(({ type }) => type === "ERROR");
}

async function* eachValue(
  batches: AsyncIterable<readonly WatchMessage[]>,
  presentation: Presentation,
  form: OutputForm,
  clock: Clock,
): AsyncGenerator<unknown> {
  for await (const batch of batches) {
    for (const { type, object } of batch) {
      const shown = type === "ERROR" ? object : viewOf(object, presentation, form, { nowMs: clock.now() });
      yield deepFreeze({ type, object: shown });
    }
  }
}

async function* eachFrame(
  batches: AsyncIterable<readonly WatchMessage[]>,
  presentation: Presentation,
  form: OutputForm,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  const frame = await frameOf(presentation, form, clock);
  for await (const batch of batches) {
    const only = batch[0];
    if (batch.length === 1 && only !== undefined) yield frame(only);
    else yield* joined(batch, frame);
  }
}

/** As much as is written to a watcher at once, so that a batch of large objects is never held whole. */
const chunkBytes = 64 * 1024;

function* joined(batch: readonly WatchMessage[], frame: FrameOf): Generator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for (const message of batch) {
    const piece = frame(message);
    pieces.push(piece);
    length += piece.length;
    if (length < chunkBytes) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(pieces);
}

/** What a Status error looks like on the wire. Anything else is a defect of ours: 500, and the text stays here. */
export function statusOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return newStatusError({ code: 500, reason: "InternalError", message: "Internal error occurred: unexpected error" });
}

/** As Go calls the type that all versions of a kind share. */
const goTypeOf = ({ group, kind }: Resource) => `${group === "" ? "core" : (group.split(".")[0] ?? "")}.${kind}`;

const notThatView = (message: string) => newStatusError({ code: 406, reason: "NotAcceptable", message });
