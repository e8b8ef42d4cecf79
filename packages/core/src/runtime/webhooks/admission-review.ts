// Decodes AdmissionReviews of `admission.k8s.io/v1` and `v1beta1`, and prints the responses.
import { type authenticationv1, type GroupVersionKind, type metav1, newBadRequest } from "../../api/index.ts";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionRequest {
  readonly uid: string;
  /** The kind of `object`. With `matchPolicy: Equivalent`, the API server may have converted it from the version of the request. */
  readonly kind: GroupVersionKind;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  /** Empty for the object itself. */
  readonly subResource: string;
  /** Empty if the server generates the name. */
  readonly name: string;
  readonly namespace: string;
  readonly operation: AdmissionOperation;
  readonly userInfo: authenticationv1.UserInfo;
  /** Undefined for DELETE. */
  readonly object: unknown;
  /** Undefined for CREATE and CONNECT. */
  readonly oldObject: unknown;
  /** CreateOptions, UpdateOptions and so on. */
  readonly options: unknown;
  /** Nothing will be stored, so the webhook must not have side effects. */
  readonly isDryRun: boolean;
}

export interface AdmissionResponse {
  readonly isAllowed: boolean;
  /** The reason why the request is refused. */
  readonly status?: metav1.Status;
  /** The JSON text of a JSON patch. */
  readonly patch?: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

export interface AdmissionReview {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

const versions = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];
const operations: readonly string[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** Throws a BadRequest error that names what is missing. */
export function decodeAdmissionReview(json: unknown): AdmissionReview {
  const review = recordOf(json, "the body");
  const apiVersion = review["apiVersion"];
  if (review["kind"] !== "AdmissionReview" || typeof apiVersion !== "string" || !versions.includes(apiVersion)) {
    throw newBadRequest(`expected an AdmissionReview of ${versions.join(" or ")}`);
  }
  const request = recordOf(review["request"], "request");
  const operation = textOf(request["operation"]);
  if (!operations.includes(operation)) throw newBadRequest(`unknown operation ${JSON.stringify(operation)}`);
  const uid = textOf(request["uid"]);
  if (uid === "") throw newBadRequest("request.uid is missing");
  const kind = recordOf(request["kind"], "request.kind");
  const resource = recordOf(request["resource"], "request.resource");
  return {
    apiVersion,
    request: {
      uid,
      kind: { group: textOf(kind["group"]), version: textOf(kind["version"]), kind: textOf(kind["kind"]) },
      resource: {
        group: textOf(resource["group"]),
        version: textOf(resource["version"]),
        resource: textOf(resource["resource"]),
      },
      subResource: textOf(request["subResource"]),
      name: textOf(request["name"]),
      namespace: textOf(request["namespace"]),
      operation: operation as AdmissionOperation,
      userInfo: recordOf(request["userInfo"] ?? {}, "request.userInfo"),
      object: request["object"] ?? undefined,
      oldObject: request["oldObject"] ?? undefined,
      options: request["options"] ?? undefined,
      isDryRun: request["dryRun"] === true,
    },
  };
}

export function printAdmissionReview({ apiVersion, request }: AdmissionReview, response: AdmissionResponse): string {
  const { isAllowed, status, patch, warnings, auditAnnotations } = response;
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion,
    response: {
      uid: request.uid,
      allowed: isAllowed,
      ...(status === undefined ? {} : { status }),
      ...(patch === undefined ? {} : { patchType: "JSONPatch", patch: Buffer.from(patch).toString("base64") }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(Object.keys(auditAnnotations).length === 0 ? {} : { auditAnnotations }),
    },
  });
}

export function recordOf(json: unknown, what: string): { readonly [key: string]: unknown } {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as { [key: string]: unknown };
  throw newBadRequest(`${what} is missing or not an object`);
}

export function textOf(json: unknown): string {
  return typeof json === "string" ? json : "";
}
