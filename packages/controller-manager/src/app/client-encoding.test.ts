import { expect, test } from "vitest";
import { encodingOfContentType } from "./client-encoding.ts";

test.each([
  ["application/vnd.kubernetes.protobuf", "protobuf"],
  ["application/json", "json"],
  ["application/json; charset=utf-8", "json"],
  ["", "protobuf"],
])("--kube-api-content-type=%s asks for %s", (contentType, expected) => {
  expect(encodingOfContentType(contentType)).toBe(expected);
});
