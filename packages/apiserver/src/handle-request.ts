// The whole server as a function: a request and who sent it in, a response out. It never throws for anything a client did: what goes
// wrong is a Status. Only an aborted signal is passed on, since nobody is left to read an answer.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  newServiceUnavailable,
  newTimeout,
  type RequestInfo,
  requestInfoOf,
  StatusError,
  valueResponse,
} from "@kubeloop/core/api";
import { type Log, timeoutSignal, toError, untilAborted } from "@kubeloop/core/base";
import { answerDocument, type DocumentParts } from "./describe/documents.ts";
import type { MeasuredRequest, RequestMetrics } from "./describe/request-metrics.ts";
import type { RequestUser } from "./kinds/kind-rules.ts";
import { routeOf } from "./resources/dispatch.ts";
import { requestTimeoutMs } from "./resources/request-options.ts";
import type { ServerParts, Warnings } from "./resources/request-scope.ts";
import { encodeJson } from "./wire/json-encodings.ts";
import { checkStreamed, type OutputForm, outputFormOf, plainJson } from "./wire/output-form.ts";
import { yamlOn } from "./wire/print-yaml.ts";
import { protobufOn } from "./wire/protobuf-encodings.ts";
import { respond, statusOf } from "./wire/respond.ts";
import { warningHeaders } from "./wire/warning-headers.ts";

export interface RequestHandlerParts {
  readonly server: ServerParts;
  readonly metrics: RequestMetrics;
  readonly documents: DocumentParts;
  readonly log: Log;
}

export async function handleRequest(
  request: ApiRequest,
  user: RequestUser,
  parts: RequestHandlerParts,
  signal: AbortSignal,
): Promise<ApiResponse> {
  signal.throwIfAborted();
  const known: Known = { form: plainJson, warnings: undefined, measured: undefined };
  try {
    const response = await answerInTime(request, user, parts, known, signal);
    return known.measured?.answered(response) ?? response;
  } catch (error) {
    // Of who has gone, bodies break off in words of their own.
    if (signal.aborted) {
      known.measured?.gone();
      throw error;
    }
    const response = await refusal(error, request, known, parts);
    return known.measured?.answered(response) ?? response;
  }
}

/** What was found out about a request before it failed. */
interface Known {
  form: OutputForm;
  warnings: Warnings | undefined;
  measured: MeasuredRequest | undefined;
}

/** Within the time the client gives, if it gives one; who takes longer is answered without waiting for what is still under way. */
async function answerInTime(
  request: ApiRequest,
  user: RequestUser,
  parts: RequestHandlerParts,
  known: Known,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const info = requestInfoOf(request);
  const timeoutMs = timeoutOf(request, info, known);
  if (timeoutMs === undefined) return await answer({ request, info, user }, parts, known, signal);
  // No timer is as short, and no request: nothing is begun.
  if (timeoutMs < shortestTimeoutMs) return tooLate(request);
  const bounded = timeoutSignal(signal, timeoutMs, { clock: parts.server.clock, what: "the request" });
  const work = answer({ request, info, user }, parts, known, bounded.signal);
  try {
    const response = await untilAborted(work, bounded.signal);
    return {
      ...response,
      // Until all of it is sent, the time runs.
      async [Symbol.asyncDispose]() {
        bounded[Symbol.dispose]();
        await response[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    bounded[Symbol.dispose]();
    if (!bounded.signal.aborted || signal.aborted) throw error;
    // An answer that comes after all is nobody's.
    void work.then(
      (late) => late[Symbol.asyncDispose](),
      () => {},
    );
    return tooLate(request);
  }
}

const shortestTimeoutMs = 1;

/** A timeout that is none is refused in the encoding asked for, where that is one. */
function timeoutOf(request: ApiRequest, info: RequestInfo, known: Known): number | undefined {
  try {
    return requestTimeoutMs(request.query, info);
  } catch (error) {
    try {
      known.form = outputFormOf(request, { hasMetadata: false, hasTable: false, hasProtobuf: true });
    } catch {
      // Then it is the usual one.
    }
    throw error;
  }
}

/** A real server is past encoding when time is up: what it writes then has no kind, and says it were text. */
function tooLate({ prefers }: ApiRequest): ApiResponse {
  const { status } = newTimeout("request did not complete within the allotted timeout");
  if (prefers === "values") return valueResponse(504, status);
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = status;
  const body = `${JSON.stringify({ ...bare, details: bare.details ?? {} })}\n`;
  return bytesResponse(504, Buffer.from(body), { "content-type": "text/plain; charset=utf-8" });
}

interface Asked {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: RequestUser;
}

async function answer(
  { request, info, user }: Asked,
  { server, documents, metrics }: RequestHandlerParts,
  known: Known,
  signal: AbortSignal,
): Promise<ApiResponse> {
  if (!info.isResourceRequest) {
    const counted = /^\/(?:healthz|livez|readyz)(?=\/|$)/.exec(info.path)?.[0];
    if (counted !== undefined) known.measured = metrics.beginDocument(request, counted);
    return (await answerDocument(request, info.path, documents, server)) ?? notFound();
  }
  const route = routeOf(server, request, info, { user, signal });
  if (route.kind === "unknown") return notFound();
  const { scope, verb } = route;
  known.measured = metrics.begin(request, info);
  known.warnings = scope.warnings;
  const { deprecation } = scope.served.rules;
  if (deprecation !== undefined) scope.warnings.add(deprecation);
  const isListed = scope.served.resource.listKind !== undefined;
  const restrictions = {
    hasMetadata: isListed,
    hasTable: isListed && doorsWithTable.has(info.subresource),
    hasProtobuf: scope.served.schema !== undefined,
  };
  const form = outputFormOf(request, restrictions);
  known.form = form;
  if (info.verb === "watch") checkStreamed(form, restrictions);
  const { prefers } = request;
  const answered = await verb(scope);
  // Lists and watches rest by themselves.
  if (answered.kind === "object" && scope.breath.isLongSince()) await scope.breath.take();
  return await respond(answered, { form, prefers, warnings: scope.warnings.all, clock: server.clock, signal });
}

/** The object itself, and what shows it as it is; the others were never meant to be looked at. */
const doorsWithTable = new Set(["", "status", "scale"]);

/** Whatever went wrong, as a Status, in the encoding asked for where that is known. */
async function refusal(
  error: unknown,
  request: ApiRequest,
  { form: { media, view }, warnings }: Known,
  { log, server }: RequestHandlerParts,
): Promise<ApiResponse> {
  const { method, path } = request;
  const isUnexpected = !(error instanceof StatusError);
  // What fails because the server goes away is nobody's fault.
  const isLate = isUnexpected && server.closing.aborted;
  if (isUnexpected && !isLate) log.error("a request failed unexpectedly", { method, path, error: toError(error) });
  const { status } = isLate ? newServiceUnavailable("the server is closed") : statusOf(error);
  const code = status.code ?? 500;
  const seconds = status.details?.retryAfterSeconds ?? 0;
  const headers = {
    ...(seconds > 0 ? { "retry-after": String(seconds) } : {}),
    ...warningHeaders(warnings?.all ?? []),
  };
  if (request.prefers === "values") return valueResponse(code, status, headers);
  // A Status is no view of anything: who asked for one gets it as everybody does.
  if (media === "yaml" && view.kind === "object") {
    const print = await yamlOn(server.clock);
    return bytesResponse(code, Buffer.from(print(status), "utf8"), { ...headers, "content-type": "application/yaml" });
  }
  if (media === "protobuf") {
    const protobuf = await protobufOn(server.clock);
    const contentType = "application/vnd.kubernetes.protobuf";
    const envelope = protobuf.encodeEnvelope({ ...status, kind: "Status", apiVersion: "v1" });
    return bytesResponse(code, envelope, { ...headers, "content-type": contentType });
  }
  return bytesResponse(code, encodeJson(status), { ...headers, "content-type": "application/json" });
}

/** In plain words: nobody knows this path. */
function notFound(): ApiResponse {
  return bytesResponse(404, Buffer.from("404 page not found\n"), {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
}
