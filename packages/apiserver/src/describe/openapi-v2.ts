// `/openapi/v2`: a document that describes nothing. Clients of today read version 3; kubectl asks for this one only about kinds it does not
// find there, and about lists, and takes silence for "do not check it here": the server checks by itself.
import { type ApiRequest, type ApiResponse, bytesResponse, headerValue } from "@kubeloop/core/api";
import { kubernetesVersion } from "../version.ts";

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const title = "Kubernetes";

export function answerOpenApiV2({ headers }: ApiRequest): ApiResponse {
  const accept = headerValue(headers, "accept") ?? "";
  if (accept.includes("proto-openapi")) return bytesResponse(200, encode(), { "content-type": protobufType });
  const info = { title, version: kubernetesVersion.gitVersion };
  const document = { swagger: "2.0", info, paths: {} };
  return bytesResponse(200, Buffer.from(JSON.stringify(document)), { "content-type": "application/json" });
}

/** The numbers of swagger, info and paths in a Document, and of title and version in an Info. */
const tags = { swagger: 1, info: 2, paths: 8, title: 1, version: 2 } as const;

function encode(): Uint8Array {
  const info = Buffer.concat([
    field(tags.title, Buffer.from(title)),
    field(tags.version, Buffer.from(kubernetesVersion.gitVersion)),
  ]);
  return Buffer.concat([
    field(tags.swagger, Buffer.from("2.0")),
    field(tags.info, info),
    field(tags.paths, Buffer.alloc(0)),
  ]);
}

/** All of them are shorter than 128 bytes: a length is one byte. */
const field = (tag: number, content: Buffer) => Buffer.concat([Buffer.from([(tag << 3) | 2, content.length]), content]);
