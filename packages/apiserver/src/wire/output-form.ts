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
  /** False for what has no protobuf messages (custom resources). */
  readonly hasProtobuf: boolean;
}

/** Throws 406. */
export function outputFormOf(request: ApiRequest, restrictions: Restrictions): OutputForm {
  const accept = headerValue(request.headers, "accept") ?? "";
  const isPretty = wantsPretty(request);
  const offers = offeredMedia(restrictions);
  if (accept === "") return { ...plainJson, isPretty };
  if (!isRouted(accept, offers)) throw noneOfThese(offers);
  const clauses = parseAccept(accept);
  for (const clause of clauses) {
    for (const [media, mediaType] of offers) {
      if (!matches(clause, mediaType)) continue;
      const view = viewOf(clause, request, restrictions);
      if (view === undefined || isRefusedView(view, media)) continue;
      const isStreamKnown = ["", "watch"].includes(clause.parameters.get("stream") ?? "");
      if (!isStreamKnown) continue;
      if (!["", "v1"].includes(clause.parameters.get("sv") ?? "")) continue;
      return { media, view, isPretty: isPretty || clause.parameters.get("pretty") === "1" };
    }
  }
  throw notAcceptable(restrictions);
}

/** A form is chosen before anybody asks whether it can be streamed. Throws 406. */
export function checkStreamed({ media }: OutputForm, restrictions: Restrictions): void {
  if (media !== "yaml") return;
  const types = offeredMedia(restrictions).filter(([each]) => each !== "yaml");
  throw onlyThese(types.map(([, type]) => `${type};stream=watch`));
}

const notAcceptable = (restrictions: Restrictions) => onlyThese(offeredMedia(restrictions).map(([, type]) => type));

const onlyThese = (types: readonly string[]) =>
  newStatusError({
    code: 406,
    reason: "NotAcceptable",
    message: `only the following media types are accepted: ${types.join(", ")}`,
  });

/** A router knows whole types and the one that means all; what is a type in part is no type to it. */
function isRouted(accept: string, offers: readonly (readonly [Media, string])[]): boolean {
  const asked = accept.split(",").map((clause) => (clause.split(";")[0] ?? "").trim());
  return asked.some((type) => type === "*/*" || offers.some(([, mediaType]) => mediaType === type));
}

/** Upstream's router says it before anybody else looks. */
function noneOfThese(offers: readonly (readonly [Media, string])[]): StatusError {
  const types = offers.map(([, type]) => type).join(", ");
  return newStatusError({
    code: 406,
    reason: "NotAcceptable",
    message: `406: Not Acceptable\n\nAvailable representations: ${types}`,
    details: {},
  });
}

const offeredMedia = ({ hasProtobuf }: Restrictions) =>
  mediaTypes.filter(([media]) => media !== "protobuf" || hasProtobuf);

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

/** A table has no protobuf messages. */
const isRefusedView = (view: ViewForm, media: Media) => view.kind === "table" && media === "protobuf";

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
