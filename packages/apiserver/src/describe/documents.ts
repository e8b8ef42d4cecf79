// Everything the server says about itself: discovery, OpenAPI, version, health. Answers to paths that are no resources; undefined for
// what nobody knows.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  headerValue,
  newGenericServerResponse,
  newStatusError,
} from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { kubernetesVersion } from "../version.ts";
import { parseAccept } from "../wire/accept.ts";
import { outputFormOf } from "../wire/output-form.ts";
import { yamlOn } from "../wire/print-yaml.ts";
import { type GroupVersions, legacyVersions } from "./discovery.ts";
import type { DiscoveryDocument, DiscoveryDocuments, TaggedDocument } from "./discovery-documents.ts";
import { answerHealth, printHealth } from "./health.ts";
import { type CheckedParts, type HealthCheck, healthChecks, healthEndpoints } from "./health-checks.ts";
import { answerOpenApi } from "./openapi.ts";
import type { OpenApiDocuments } from "./openapi-documents.ts";

export interface DocumentParts {
  readonly discovery: DiscoveryDocuments;
  readonly openApi: OpenApiDocuments;
  /** Host and port. */
  serverAddress(): string;
  readonly clock: Clock;
  /** In Prometheus' text form. */
  printMetrics(): Promise<string>;
}

export async function answerDocument(
  request: ApiRequest,
  path: string,
  parts: DocumentParts,
  checked: CheckedParts,
): Promise<ApiResponse | undefined> {
  const segments = path.split("/").filter((segment) => segment !== "");
  const [first = "", group, version, ...more] = segments;
  checkMethod(request.method, segments);
  switch (first) {
    case "":
      return indented({ paths: rootPaths(parts.discovery.groups, healthChecks(checked)) });
    case "api":
      if (segments.length === 1) return discoveryAnswer(request, parts, true);
      return segments.length === 2 ? versionDocument(request, parts, "", group ?? "") : undefined;
    case "apis":
      if (group === undefined) return discoveryAnswer(request, parts, false);
      if (version === undefined) return groupAnswer(parts, group);
      return more.length === 0 ? versionDocument(request, parts, group, version) : undefined;
    case "version":
      return segments.length === 1 ? indented(versionInfo()) : undefined;
    case "healthz":
    case "livez":
    case "readyz":
      // By the very path: what ends in a slash is another's.
      return await answerHealth(request, first, checkAt(path), healthChecks(checked));
    case "metrics":
      if (path === "/metrics") return text(await parts.printMetrics(), metricsType);
      return path === "/metrics/slis" ? text(await printHealth(healthChecks(checked)), metricsType) : undefined;
    case "openapi":
      return answerOpenApi(request, segments.slice(1), parts.openApi);
    default:
      return undefined;
  }
}

const metricsType = "text/plain; version=0.0.4; charset=utf-8";

const checkAt = (path: string) => (/^\/[a-z]+$/.test(path) ? undefined : path.split("/").slice(2).join("/"));

/** Where there is a router, GET is the only way in; all else is answered whatever the method. */
function checkMethod(method: string, segments: readonly string[]): void {
  const [first = ""] = segments;
  const isRouted = first === "version" || first === "api" || (first === "apis" && segments.length >= 3);
  if (isRouted && method !== "GET") throw newGenericServerResponse({ code: 405, method });
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

function discoveryAnswer(
  request: ApiRequest,
  { discovery, serverAddress }: DocumentParts,
  isCore: boolean,
): ApiResponse {
  switch (wantedDiscovery(request)) {
    case "aggregated":
      return tagged(request, discovery.aggregated(isCore));
    case "legacy":
      return isCore ? json(encodeLine(legacyVersions(serverAddress()))) : json(discovery.groupList().bytes);
    case "none":
      throw newStatusError({
        code: 406,
        reason: "NotAcceptable",
        message:
          "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
      });
  }
}

function wantedDiscovery({ headers }: ApiRequest): "aggregated" | "legacy" | "none" {
  const accept = headerValue(headers, "accept") ?? "";
  if (accept === "") return "legacy";
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    if (!["application", "*"].includes(type)) continue;
    if (!["json", "yaml", "vnd.kubernetes.protobuf", "*"].includes(subtype)) continue;
    if (!parameters.has("as")) return "legacy";
    const isV2 = parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("v") === "v2";
    if (isV2 && parameters.get("as") === "APIGroupDiscoveryList" && subtype === "json") return "aggregated";
  }
  return "none";
}

function groupAnswer({ discovery }: DocumentParts, name: string): ApiResponse | undefined {
  const found = discovery.group(name);
  return found === undefined ? undefined : json(found.bytes);
}

async function versionDocument(
  request: ApiRequest,
  { discovery, clock }: DocumentParts,
  name: string,
  version: string,
): Promise<ApiResponse | undefined> {
  const found = discovery.resources(name, version);
  if (found === undefined) return undefined;
  if (found === "no version") throw newGenericServerResponse({ code: 404, method: "" });
  const { media } = outputFormOf(request, { hasMetadata: false, hasTable: false, hasProtobuf: true });
  return media === "yaml" ? await inYaml(found, clock) : json(found.bytes);
}

/** With a tag, so that who has this very document is only told that it has. */
function tagged(request: ApiRequest, { bytes, etag }: TaggedDocument): ApiResponse {
  const headers = { etag, "content-type": aggregatedType, vary: "Accept", "cache-control": "public" };
  if (headerValue(request.headers, "if-none-match") === etag) return bytesResponse(304, new Uint8Array(), headers);
  return bytesResponse(200, bytes, headers);
}

function json(bytes: Uint8Array): ApiResponse {
  return bytesResponse(200, bytes, { "content-type": "application/json" });
}

const encodeLine = (document: object) => Buffer.from(`${JSON.stringify(document)}\n`);

async function inYaml({ document }: DiscoveryDocument, clock: Clock): Promise<ApiResponse> {
  const print = await yamlOn(clock);
  return bytesResponse(200, Buffer.from(print(document), "utf8"), { "content-type": "application/yaml" });
}

/** What a real server prints for people rather than for clients. */
function indented(document: object): ApiResponse {
  return bytesResponse(200, Buffer.from(JSON.stringify(document, null, 2)), { "content-type": "application/json" });
}

const text = (body: string, contentType: string) =>
  bytesResponse(200, Buffer.from(body), { "content-type": contentType });

function versionInfo(): object {
  const { major, minor, gitVersion, platform } = kubernetesVersion;
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform,
  };
}

function rootPaths(groups: readonly GroupVersions[], checks: readonly HealthCheck[]): readonly string[] {
  const named = groups.filter(({ group }) => group !== "");
  const own = named.flatMap(({ group, versions }) => [
    `/apis/${group}`,
    ...versions.map(({ version }) => `/apis/${group}/${version}`),
  ]);
  const health = healthEndpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...checks.filter(({ endpoints }) => endpoints.includes(endpoint)).map(({ name }) => `/${endpoint}/${name}`),
  ]);
  const fixed = [...health, "/metrics", "/metrics/slis", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"];
  return ["/api", "/api/v1", "/apis", "/apis/", ...own.toSorted(), ...fixed.toSorted()];
}
