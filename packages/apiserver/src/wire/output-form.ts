// In which form an answer is to be given: the encoding, and whether the object itself, its metadata or a row of a table is wanted.
// Told from Accept and the query, strictly: a clause that asks for a view this server does not have is passed over, and when no
// clause is left the answer is 406.
import { type ApiRequest, headerValue, newStatusError, queryValue, type StatusError } from "@kubeloop/core/api";
import { type AcceptClause, parseAccept } from "./accept.ts";

export type Media = "json" | "yaml" | "protobuf";

/** What of the object is shown. `version` is that of meta.k8s.io. */
export type ViewForm =
  | { readonly kind: "object" }
  | { readonly kind: "metadata"; readonly version: "v1" | "v1beta1"; readonly isList: boolean }
  | {
      readonly kind: "table";
      readonly version: "v1" | "v1beta1";
      readonly includeObject: "None" | "Metadata" | "Object";
    };

export interface OutputForm {
  readonly media: Media;
  readonly view: ViewForm;
  readonly isPretty: boolean;
}

export const plainJson: OutputForm = { media: "json", view: { kind: "object" }, isPretty: false };

const mediaTypes: readonly (readonly [Media, string])[] = [
  ["json", "application/json"],
  ["yaml", "application/yaml"],
  ["protobuf", "application/vnd.kubernetes.protobuf"],
];

export const contentTypeOf = (media: Media): string =>
  mediaTypes.find(([each]) => each === media)?.[1] ?? "application/json";

interface Restrictions {
  /** Whether PartialObjectMetadata can be had here. */
  readonly hasMetadata: boolean;
  /** Whether a Table can: not of all that has metadata. */
  readonly hasTable: boolean;
  /** False where the object itself has no protobuf message (custom resources). Its metadata can be had as protobuf all the same. */
  readonly hasProtobuf: boolean;
  /** False where no router has looked at the request before (custom resources). True unless given. */
  readonly isRouted?: boolean;
}

/** Throws 406. */
export function outputFormOf(request: ApiRequest, restrictions: Restrictions): OutputForm {
  const accept = headerValue(request.headers, "accept") ?? "";
  const isPretty = wantsPretty(request);
  if (accept === "") return { ...plainJson, isPretty };
  if (restrictions.isRouted !== false && !isKnownToRouter(accept)) throw noneOfThese();
  const clauses = parseAccept(accept);
  for (const clause of clauses) {
    for (const [media, mediaType] of mediaTypes) {
      if (!matches(clause, mediaType)) continue;
      const view = viewOf(clause, request, restrictions);
      if (view === undefined || isRefusedView(view, media, restrictions)) continue;
      const isStreamKnown = ["", "watch"].includes(clause.parameters.get("stream") ?? "");
      if (!isStreamKnown) continue;
      if (!["", "v1"].includes(clause.parameters.get("sv") ?? "")) continue;
      return { media, view, isPretty: isPretty || clause.parameters.get("pretty") === "1" };
    }
  }
  throw onlyThese(mediaTypes.map(([, type]) => type));
}

/** A form is chosen before anybody asks whether it can be streamed. Throws 406. */
export function checkStreamed({ media }: OutputForm): void {
  if (media !== "yaml") return;
  const types = mediaTypes.filter(([each]) => each !== "yaml");
  throw onlyThese(types.map(([, type]) => `${type};stream=watch`));
}

const onlyThese = (types: readonly string[]) =>
  newStatusError({
    code: 406,
    reason: "NotAcceptable",
    message: `only the following media types are accepted: ${types.join(", ")}`,
  });

/** A router knows whole types and the one that means all; what is a type in part is no type to it. */
function isKnownToRouter(accept: string): boolean {
  const asked = accept.split(",").map((clause) => (clause.split(";")[0] ?? "").trim());
  return asked.some((type) => type === "*/*" || mediaTypes.some(([, mediaType]) => mediaType === type));
}

/** Upstream's router says it before anybody else looks. */
function noneOfThese(): StatusError {
  const types = mediaTypes.map(([, type]) => type).join(", ");
  return newStatusError({
    code: 406,
    reason: "NotAcceptable",
    message: `406: Not Acceptable\n\nAvailable representations: ${types}`,
    details: {},
  });
}

function matches({ type, subtype }: AcceptClause, mediaType: string): boolean {
  const [ownType, ownSubtype] = mediaType.split("/");
  if (type === "*") return subtype === "*";
  return type === ownType && (subtype === ownSubtype || subtype === "*");
}

/** Undefined for what cannot be had. */
function viewOf(
  clause: AcceptClause,
  request: ApiRequest,
  { hasMetadata, hasTable }: Restrictions,
): ViewForm | undefined {
  const { parameters } = clause;
  const as = parameters.get("as");
  const group = parameters.get("g");
  const version = parameters.get("v");
  if (as === undefined && group === undefined && version === undefined) return { kind: "object" };
  if (!hasMetadata || group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  switch (as) {
    case "PartialObjectMetadata":
      return { kind: "metadata", version, isList: false };
    case "PartialObjectMetadataList":
      return { kind: "metadata", version, isList: true };
    case "Table":
      return hasTable ? { kind: "table", version, includeObject: includedObject(request) } : undefined;
    default:
      return undefined;
  }
}

/** A table has no protobuf message. */
const isRefusedView = ({ kind }: ViewForm, media: Media, { hasProtobuf }: Restrictions) =>
  media === "protobuf" && (kind === "table" || (kind === "object" && !hasProtobuf));

function includedObject({ query }: ApiRequest): "None" | "Metadata" | "Object" {
  const wanted = queryValue(query, "includeObject") ?? "";
  if (wanted === "") return "Metadata";
  if (wanted === "None" || wanted === "Metadata" || wanted === "Object") return wanted;
  throw newStatusError({
    code: 400,
    reason: "BadRequest",
    message: `Unable to convert to Table as requested: includeObject: Invalid value: "${wanted}": must be 'Metadata', 'Object', 'None', or empty`,
  });
}

/** Asked for, or a person with a browser or curl. */
function wantsPretty({ query, headers }: ApiRequest): boolean {
  const asked = queryValue(query, "pretty");
  if (asked !== undefined && asked !== "") return ["1", "t", "T", "true", "TRUE", "True"].includes(asked);
  const agent = headerValue(headers, "user-agent") ?? "";
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
