import { expect, test } from "vitest";
import {
  bytesResponse,
  collectBytes,
  headerValue,
  parseQuery,
  printQuery,
  queryValue,
  TransportError,
  valueResponse,
} from "./transport.ts";

test("headers are found by their own names only", () => {
  const headers = { accept: "a", warning: ["one", "two"] };
  expect(headerValue(headers, "accept")).toBe("a");
  expect(headerValue(headers, "warning")).toBe("one");
  expect(headerValue(headers, "absent")).toBeUndefined();
  expect(headerValue(headers, "constructor")).toBeUndefined();
});

test("queries keep order and repetition", () => {
  const query = [
    ["command", "ls -l"],
    ["command", "a&b=c"],
    ["labelSelector", "a in (b,ü)"],
  ] as const;
  expect(parseQuery(printQuery(query))).toEqual(query);
  expect(queryValue(query, "command")).toBe("ls -l");
  expect(queryValue(query, "limit")).toBeUndefined();
  expect(printQuery([])).toBe("");
});

test("whole bodies", async () => {
  const response = bytesResponse(200, new TextEncoder().encode("hello"));
  if (response.body.kind !== "bytes") throw new Error("expected bytes");
  expect(new TextDecoder().decode(await collectBytes(response.body.bytes, { maxBytes: 5 }))).toBe("hello");
  const value = { kind: "Pod" };
  expect(valueResponse(200, value).body).toEqual({ kind: "value", value });
});

test("a body beyond the limit is refused", async () => {
  const { body } = bytesResponse(200, new Uint8Array(6));
  if (body.kind !== "bytes") throw new Error("expected bytes");
  await expect(collectBytes(body.bytes, { maxBytes: 5 })).rejects.toThrow(TransportError);
});
