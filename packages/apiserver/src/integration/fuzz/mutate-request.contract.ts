// Turns a good request into a hostile one: any part may be wrong, several at once, and now and then none.
import { type ApiRequest, noBody, type RequestBody } from "@kubeloop/core/api";
import { stringify } from "yaml";
import type { Protobuf } from "../../wire/protobuf/index.ts";
import type { Draw } from "./draw.contract.ts";
import type { Sketch } from "./good-requests.contract.ts";
import { mutateBytes } from "./mutate-bytes.contract.ts";
import { mutateJson } from "./mutate-json.contract.ts";
import { nastyTexts } from "./nasty-values.contract.ts";
import { wholeBody } from "./whole-bodies.contract.ts";

/** Changes the parts. */
export function mutateSketch(draw: Draw, sketch: Sketch): void {
  for (let left = 1 + draw.few(4); left > 0; left--) {
    switch (draw.below(12)) {
      case 0:
        sketch.method = draw.from(methods);
        break;
      case 1:
        sketch.path = mutatePath(draw, sketch.path);
        break;
      case 2:
      case 3:
        mutateQuery(draw, sketch);
        break;
      case 4:
        mutateHeaders(draw, sketch);
        break;
      default:
        if (sketch.value !== undefined) sketch.value = mutateJson(draw, sketch.value);
        else if (draw.oneIn(2)) mutateQuery(draw, sketch);
        else sketch.path = mutatePath(draw, sketch.path);
    }
  }
}

const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "",
  "get",
  "__proto__",
];

const segments: readonly string[] = [
  "..",
  ".",
  "",
  "%2e%2e",
  "%2f",
  "%2F..%2F",
  "%00",
  "%",
  "%zz",
  "%ff",
  "%c0%ae",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "namespaces",
  "status",
  "scale",
  "watch",
  "proxy",
  "finalize",
  "v1",
  "v2",
  "apis",
  "a b",
  "é",
  ";x=1",
  "\\",
];

function mutatePath(draw: Draw, path: string): string {
  const parts = path.split("/");
  const at = draw.below(parts.length + 1);
  const segment = draw.oneIn(40) ? draw.from(["a", "../", "%41", "/"]).repeat(30_000) : draw.from(segments);
  switch (draw.below(7)) {
    case 0:
      return parts.toSpliced(at, 0, segment).join("/");
    case 1:
      return parts.toSpliced(at, 1, segment).join("/");
    case 2:
      return parts.toSpliced(at, 1).join("/");
    case 3:
      return path.replaceAll("/", draw.from(["//", "/./", "%2f", "\\"]));
    case 4:
      return `${path}/${segment}`;
    case 5:
      return path.toUpperCase();
    default:
      return `${draw.from(["", "http://elsewhere", "//elsewhere", "*"])}${path.slice(draw.below(2))}`;
  }
}

const parameters: readonly string[] = [
  "labelSelector",
  "fieldSelector",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "watch",
  "allowWatchBookmarks",
  "sendInitialEvents",
  "timeoutSeconds",
  "timeout",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "force",
  "gracePeriodSeconds",
  "propagationPolicy",
  "orphanDependents",
  "pretty",
  "includeObject",
  "container",
  "follow",
  "exclude",
  "verbose",
  "hash",
  "__proto__",
  "constructor",
];

const token = (rv: unknown, start: unknown) =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv, start })).toString("base64url");

const values: readonly string[] = [
  "true",
  "false",
  "1",
  "0",
  "-1",
  "-9223372036854775808",
  "9223372036854775807",
  "99999999999999999999",
  "1e3",
  "Exact",
  "NotOlderThan",
  "All",
  "Strict",
  "Warn",
  "Ignore",
  "Foreground",
  "Orphan",
  "Metadata",
  "Object",
  "None",
  "kubectl",
  "a=b,c!=d,e",
  "a in (b,c)",
  "a in (b,c",
  "a==b,,",
  "x>5",
  "metadata.name=p",
  "metadata.name=__proto__",
  "spec.nodeName=,status.phase!=Running",
  "spec.nodeName=\\,\\=\\\\",
  "constructor=1",
  "__proto__=1",
  token(5, "default/a\u0000"),
  token(-1, "a\u0000"),
  token(2 ** 53, "/x"),
  token(0, "x"),
  token(5, "../../x"),
  token("5", 5),
  "a".repeat(300),
  `a=${"b".repeat(70)}`,
  `a in (${"b,".repeat(5_000)}c)`,
  "(".repeat(3_000),
  "!".repeat(3_000),
  "\\".repeat(3_001),
];

function mutateQuery(draw: Draw, sketch: Sketch): void {
  const pair = [draw.from(parameters), draw.oneIn(4) ? draw.from(nastyTexts) : draw.from(values)] as const;
  const at = draw.below(sketch.query.length);
  switch (draw.below(4)) {
    case 0:
      if (sketch.query.length > 0) sketch.query[at] = [sketch.query[at]?.[0] ?? "", pair[1]];
      break;
    case 1:
      sketch.query.splice(at, 0, pair, pair);
      break;
    default:
      sketch.query.splice(at, 0, pair);
  }
}

const headerValues: Readonly<Record<string, readonly string[]>> = {
  accept: [
    "application/json;as=Table;g=meta.k8s.io;v=v1beta1",
    "application/json;as=__proto__;g=constructor;v=v1",
    "application/json;stream=nothing",
    "application/json;sv=v9",
    "text/html",
    "a/b/c",
    ";;;,,,===",
    "*/*;q=nothing",
    `${"application/json,".repeat(2_000)}*/*`,
    `application/json${";a=b".repeat(2_000)}`,
    "application/cbor",
  ],
  "content-type": [
    "",
    "application/json; charset=utf-16",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/vnd.kubernetes.protobuf;stream=watch",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/apply-patch+cbor",
    "application/cbor",
    "text/plain",
    "multipart/form-data; boundary=x",
    "__proto__",
    "a/b;".repeat(3_000),
  ],
  "user-agent": ["curl/8", "Mozilla/5.0", "", "/".repeat(3_000), "\u00ff", "a b/c (d)"],
  "content-length": ["-1", "99999999999", "x"],
  "content-encoding": ["gzip", "br"],
  "if-none-match": ["*", '"x"'],
  "impersonate-user": ["system:anonymous", ""],
  expect: ["100-continue"],
  constructor: ["x"],
};

function mutateHeaders(draw: Draw, sketch: Sketch): void {
  const name = draw.from(Object.keys(headerValues));
  if (draw.oneIn(6)) delete sketch.headers[name];
  else sketch.headers[name] = draw.from(headerValues[name] ?? []);
}

const contentTypes = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
} as const;

/** Makes bytes of it, perhaps not those it should be. */
export function toRequest(draw: Draw, sketch: Sketch, tools: { protobuf: Protobuf; isHostile: boolean }): ApiRequest {
  const { method, path, query, headers, encoding } = sketch;
  const body = bodyOf(draw, sketch, tools);
  const type = body.kind === "none" ? {} : { "content-type": contentTypes[encoding] };
  const prefers = draw.oneIn(8) ? "values" : "bytes";
  return { method, path, query, headers: { ...type, ...headers }, body, prefers };
}

function bodyOf(
  draw: Draw,
  sketch: Sketch,
  { protobuf, isHostile }: { protobuf: Protobuf; isHostile: boolean },
): RequestBody {
  const { value } = sketch;
  if (value === undefined && !(isHostile && draw.oneIn(10))) return noBody;
  if (isHostile && value !== undefined && draw.oneIn(20)) return { kind: "value", value };
  let bytes = encoded(sketch, protobuf);
  if (isHostile) {
    if (draw.oneIn(8)) bytes = wholeBody(draw, JSON.stringify(value ?? {}));
    if (draw.oneIn(sketch.encoding === "protobuf" ? 2 : 6)) {
      for (let left = 1 + draw.few(5); left > 0; left--) bytes = mutateBytes(draw, bytes);
    }
  }
  return {
    kind: "bytes",
    bytes: draw.oneIn(5) ? inPieces(bytes, Math.ceil((1 + bytes.length) / (1 + draw.below(40)))) : bytes,
  };
}

/** What has no protobuf any more goes as JSON under its name. */
function encoded({ value, encoding }: Sketch, protobuf: Protobuf): Uint8Array {
  if (encoding === "protobuf") {
    try {
      return protobuf.encodeEnvelope(value as { readonly apiVersion: string; readonly kind: string });
    } catch {
      return Buffer.from(JSON.stringify(value) ?? "", "utf8");
    }
  }
  if (encoding === "yaml" && !isDeep(value)) return Buffer.from(stringify(value, { lineWidth: 0 }) ?? "", "utf8");
  // JSON is YAML.
  return Buffer.from(JSON.stringify(value) ?? "", "utf8");
}

/** Deeper than the writer of YAML goes, or larger than it is worth. */
function isDeep(value: unknown, left = { parts: 2_000 }, depth = 0): boolean {
  if (depth > 60 || left.parts-- < 0) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((held) => isDeep(held, left, depth + 1));
}

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
