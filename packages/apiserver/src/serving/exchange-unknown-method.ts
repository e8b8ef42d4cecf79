// Requests with a method that the platform's parser does not know: it gives up at the first letter and hands over the bytes. A Go server
// takes any word for a method, and its handlers refuse it, so the head is read here, as far as it came with the same bytes.
import { STATUS_CODES } from "node:http";
import { type ApiRequest, type ApiResponse, noBody } from "@kubeloop/core/api";
import { splitUrl, uncached } from "./exchange.ts";

/** Undefined for what is no request of that kind. Of its body nothing is read: nobody would take it. */
export function requestOfUnknownMethod(error: Error): ApiRequest | undefined {
  if (!("code" in error) || error.code !== "HPE_INVALID_METHOD") return undefined;
  const { rawPacket } = error as { readonly rawPacket?: Buffer };
  const packet = rawPacket?.toString("latin1") ?? "";
  const end = packet.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = packet.slice(0, end).split("\r\n");
  const [, method, url] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/\S*) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || url === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return undefined;
    headers[name.toLowerCase()] ??= line.slice(colon + 1).trim();
  }
  return { method, ...splitUrl(url), headers, body: noBody, prefers: "bytes" };
}

/** The head of an answer after which the connection is closed; without a length the body ends where the connection does. */
export function headOf({ status, headers: own }: ApiResponse, length: number | undefined): string {
  const headers: ApiResponse["headers"] = { "cache-control": uncached, ...own };
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`];
  for (const name in headers) {
    for (const value of [headers[name] ?? []].flat()) lines.push(`${name}: ${value}`);
  }
  if (length !== undefined) lines.push(`content-length: ${length}`);
  lines.push("connection: close", "", "");
  return lines.join("\r\n");
}
