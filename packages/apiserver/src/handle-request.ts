// The whole server as a function: a request and where it comes from in, a response out. Every request is authenticated, is impersonated where it
// asks for that, and is authorized, before anything is looked up for it. The function never throws for anything a client did: what goes wrong
// is a Status. Only an aborted signal is passed on, since nobody is left to read an answer.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  newServiceUnavailable,
  newTooManyRequests,
  type RequestInfo,
  requestInfoOf,
  StatusError,
  valueResponse,
} from "@kubeloop/core/api";
import { deepFreeze, type Log, toError } from "@kubeloop/core/base";
import type { RequestOrigin } from "./authentication/authenticator.ts";
import { attributesOf, authorizeOrThrow } from "./authorization/attributes.ts";
import { impersonatedUser } from "./authorization/impersonation.ts";
import { answerDocument, type DocumentParts } from "./describe/documents.ts";
import type { MeasuredRequest, RequestMetrics } from "./describe/request-metrics.ts";
import type { InflightLimits } from "./inflight-limits.ts";
import type { RequestUser } from "./kinds/kind-rules.ts";
import { withinDeadline } from "./request-deadline.ts";
import { requestTimeoutMs } from "./resources/options/request-options.ts";
import type { ServerParts, Warnings } from "./resources/registry/write-context.ts";
import { routeOf } from "./resources/routing/dispatch.ts";
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
  readonly inflight: InflightLimits;
  readonly log: Log;
}

export async function handleRequest(
  request: ApiRequest,
  origin: RequestOrigin,
  parts: RequestHandlerParts,
  signal: AbortSignal,
): Promise<ApiResponse> {
  signal.throwIfAborted();
  const known: Known = { form: plainJson, warnings: undefined, measured: undefined, inFlight: undefined };
  try {
    const response = frozen(await answerInTime(request, origin, parts, known, signal));
    return known.measured?.answered(response) ?? response;
  } catch (error) {
    // When the client has disconnected, reading its body fails with an error of its own, which is not reported as a fault.
    if (signal.aborted) {
      known.measured?.gone();
      throw error;
    }
    const response = frozen(await refusal(error, request, known, parts));
    return known.measured?.answered(response) ?? response;
  }
}

/** Readers inside the process get the server's own objects: nobody may change one. Events of a watch are frozen as they are made. */
function frozen(response: ApiResponse): ApiResponse {
  if (response.body.kind === "value") deepFreeze(response.body.value);
  return response;
}

/** What was found out about a request before it failed. */
interface Known {
  form: OutputForm;
  warnings: Warnings | undefined;
  measured: MeasuredRequest | undefined;
  /** While it counts among those in flight. */
  inFlight: Disposable | undefined;
}

/**
 * Within the deadline of the request and the limits of those in flight. Who takes longer is answered without waiting for what is still under way.
 */
async function answerInTime(
  request: ApiRequest,
  origin: RequestOrigin,
  parts: RequestHandlerParts,
  known: Known,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const info = requestInfoOf(request);
  const timeoutMs = timeoutOf(request, info, known);
  if (timeoutMs === undefined) return await answer({ request, info, origin, isLimited: false }, parts, known, signal);
  const { clock } = parts.server;
  const begin = (each: AbortSignal) => answer({ request, info, origin, isLimited: true }, parts, known, each);
  return await withinDeadline(
    begin,
    { request, timeoutMs, clock, onEnd: () => known.inFlight?.[Symbol.dispose]() },
    signal,
  );
}

/** A timeout that is none is refused in the encoding asked for, where that is one. */
function timeoutOf(request: ApiRequest, info: RequestInfo, known: Known): number | undefined {
  return orRefusedInForm(request, known, () => requestTimeoutMs(request.query, info));
}

/** What this throws is written as asked for, where a Status can be, though the object may not. */
function orRefusedInForm<T>(request: ApiRequest, known: Known, read: () => T): T {
  try {
    return read();
  } catch (error) {
    known.form = formOfRefusal(request);
    throw error;
  }
}

/** Of a Status that is written before the request is routed: as asked for where that is possible, else plain JSON. */
function formOfRefusal(request: ApiRequest): OutputForm {
  try {
    return outputFormOf(request, { hasMetadata: false, hasTable: false, hasProtobuf: true });
  } catch {
    return plainJson;
  }
}

/** In the words of a real server, which answers this before it looks for an encoding. */
function tooMany({ prefers }: ApiRequest): ApiResponse {
  const message = "Too many requests, please try again later.";
  const headers = { "retry-after": "1" };
  if (prefers === "values") {
    return valueResponse(429, newTooManyRequests(message, { retryAfterSeconds: 1 }).status, headers);
  }
  const plain = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return bytesResponse(429, Buffer.from(`${message}\n`), { ...headers, ...plain });
}

interface Asked {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly origin: RequestOrigin;
  /** Whether it counts among those in flight: long-running ones do not. */
  readonly isLimited: boolean;
}

async function answer(
  asked: Asked,
  { server, documents, metrics, inflight }: RequestHandlerParts,
  known: Known,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const { request, info, isLimited } = asked;
  const user = await userOf(asked, server, known);
  // A request whose time is up has been answered, and would never leave those in flight.
  signal.throwIfAborted();
  if (isLimited) {
    known.inFlight = inflight.begin(info, user);
    if (known.inFlight === undefined) return tooMany(request);
  }
  await authorize(asked, user, server, known);
  signal.throwIfAborted();
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
    hasTable: isListed && subresourcesWithTable.has(info.subresource),
    hasProtobuf: scope.served.codec.protobufMessage !== undefined,
    isRouted: !scope.served.codec.isUnstructured,
  };
  const form = orRefusedInForm(request, known, () => outputFormOf(request, restrictions));
  known.form = form;
  if (info.verb === "watch") checkStreamed(form);
  const { prefers } = request;
  const answered = await verb(scope);
  // Lists and watches rest by themselves.
  if (answered.kind === "object" && scope.yieldBudget.isUsedUpNow()) await scope.yieldBudget.yield();
  return await respond(answered, { form, prefers, warnings: scope.warnings.all, clock: server.clock, signal });
}

/** Whose request it is. Throws 401, and 403 where the sender may not impersonate that user, in the encoding asked for. */
async function userOf({ request, origin }: Asked, server: ServerParts, known: Known): Promise<RequestUser> {
  const { authenticator, authorizer } = server;
  return await orRefused(request, known, async () => {
    const sender = await authenticator.authenticate(request, origin);
    return await impersonatedUser(request, sender, authorizer);
  });
}

/** As upstream, after the request counts among those in flight. Throws 403, in the encoding asked for. */
async function authorize(
  { request, info }: Asked,
  user: RequestUser,
  { authorizer }: ServerParts,
  known: Known,
): Promise<void> {
  await orRefused(request, known, () => authorizeOrThrow(authorizer, attributesOf(info, user)));
}

async function orRefused<T>(request: ApiRequest, known: Known, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    known.form = formOfRefusal(request);
    throw error;
  }
}

/** The object itself, and what shows it as it is; the others were never meant to be looked at. */
const subresourcesWithTable = new Set(["", "status", "scale"]);

/** Whatever went wrong, as a Status, in the encoding asked for where that is known. */
async function refusal(
  error: unknown,
  request: ApiRequest,
  { form, warnings }: Known,
  { log, server }: RequestHandlerParts,
): Promise<ApiResponse> {
  const { method, path } = request;
  // A Status is no view of anything: who asked for one gets it in the first encoding that was asked for without a view.
  const { media } = form.view.kind === "object" ? form : formOfRefusal(request);
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
  if (media === "yaml") {
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
