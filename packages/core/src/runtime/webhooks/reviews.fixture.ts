// Reviews as an API server sends them, and the decoded responses.
import { type ApiRequest, type ApiResponse, collectBytes, parseQuery, type Transport } from "../../api/index.ts";

export interface Reviewed {
  readonly code: number;
  readonly apiVersion?: string;
  readonly response: {
    readonly uid?: string;
    readonly allowed?: boolean;
    readonly status?: { readonly code?: number; readonly message?: string; readonly reason?: string };
    readonly patch?: unknown;
    readonly patchType?: string;
    readonly warnings?: readonly string[];
    readonly auditAnnotations?: Readonly<Record<string, string>>;
    readonly convertedObjects?: readonly unknown[];
    readonly result?: { readonly status?: string; readonly message?: string; readonly details?: unknown };
  };
  /** The JSON text of the patch. */
  readonly patchText?: string;
  /** The Status, if the request itself was refused. */
  readonly refusal?: { readonly message?: string; readonly reason?: string };
}

export interface Asked {
  readonly method?: string;
  readonly contentType?: string;
  readonly timeout?: string;
}

export function reviewRequest(path: string, body: string | unknown, asked: Asked = {}): ApiRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method: asked.method ?? "POST",
    path,
    query: parseQuery(asked.timeout === undefined ? "" : `timeout=${asked.timeout}`),
    headers: { "content-type": asked.contentType ?? "application/json" },
    body: text === "" ? { kind: "none" } : { kind: "bytes", bytes: new TextEncoder().encode(text) },
    prefers: "bytes",
  };
}

export async function ask(
  handler: Transport,
  request: ApiRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Reviewed> {
  return await decodeReviewed(await handler(request, signal));
}

export async function decodeReviewed({ status, body }: ApiResponse): Promise<Reviewed> {
  const bytes = body.kind === "bytes" ? await collectBytes(body.bytes, { maxBytes: 1e9 }) : new Uint8Array();
  const text = Buffer.from(bytes).toString();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { kind: "Status", message: text };
  if (json["kind"] === "Status") return { code: status, response: {}, refusal: json };
  const response = json["response"] as Reviewed["response"];
  const { patch } = response;
  const answer = { code: status, apiVersion: String(json["apiVersion"]) };
  if (typeof patch !== "string") return { ...answer, response };
  const patchText = Buffer.from(patch, "base64").toString();
  return { ...answer, response: { ...response, patch: JSON.parse(patchText) as unknown }, patchText };
}

/** Returns an AdmissionReview for a ConfigMap; the fields in `more` override those of its request. */
export function admissionReview(more: Readonly<Record<string, unknown>> = {}, apiVersion = "admission.k8s.io/v1") {
  return {
    kind: "AdmissionReview",
    apiVersion,
    request: {
      uid: "u-1",
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      requestKind: { group: "", version: "v1", kind: "ConfigMap" },
      name: "a",
      namespace: "shop",
      operation: "CREATE",
      userInfo: { username: "alice", groups: ["dev"] },
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace: "shop", name: "a" },
        data: { color: "red" },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
      ...more,
    },
  };
}
