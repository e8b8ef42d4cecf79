import { describe, expect, test } from "vitest";
import { parseContinueToken, printContinueToken } from "./continue-token.ts";

test("a token leads back to where a page ended", () => {
  for (const position of [
    { revision: 5, afterKey: "shop/web" },
    { revision: -1, afterKey: "web" },
  ]) {
    expect(parseContinueToken(printContinueToken(position))).toEqual(position);
  }
});

const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("what is no token is refused", () => {
  for (const [fact, text, why] of [
    ["other letters", "a b", "illegal base64 data at input byte 1"],
    ["a letter too many", "abcde", "illegal base64 data at input byte 4"],
    ["no JSON", "bm9uc2Vuc2U", "invalid character"],
    ["another version", token({ v: "v2", rv: 1, start: "a" }), "server does not recognize this encoded version v2"],
    ["no revision", token({ v: "meta.k8s.io/v1", start: "a" }), "continue key is not valid"],
    ["a revision of 0", token({ v: "meta.k8s.io/v1", rv: 0, start: "a" }), "incorrect encoded start resourceVersion"],
    ["no key", token({ v: "meta.k8s.io/v1", rv: 1 }), "encoded start key empty"],
    ["a way out", token({ v: "meta.k8s.io/v1", rv: 1, start: "../secrets" }), "continue key is not valid: ../secrets"],
    ["an absolute way out", token({ v: "meta.k8s.io/v1", rv: 1, start: "//secrets" }), "continue key is not valid"],
  ] as const) {
    test(fact, () => expect(() => parseContinueToken(text)).toThrow(why));
  }
});
