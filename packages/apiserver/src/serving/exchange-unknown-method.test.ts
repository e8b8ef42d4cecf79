import { afterEach, describe, expect, test, vi } from "vitest";
import { requestOfUnknownMethod } from "./exchange-unknown-method.ts";

const refusal = (text: string) =>
  Object.assign(new Error("Parse Error"), { code: "HPE_INVALID_METHOD", rawPacket: Buffer.from(text) });

describe("a request with an unknown method", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("has its headers, without the spaces around them", () => {
    const request = requestOfUnknownMethod(refusal("FROB /api?a=b HTTP/1.1\r\nHost:  x \r\n\r\n"));
    expect(request).toMatchObject({ method: "FROB", path: "/api", query: [["a", "b"]], headers: { host: "x" } });
  });

  // A regular expression that takes spaces off both ends goes through them once for each of them.
  test("is read without giving a long value to a regular expression", () => {
    const value = `b${" ".repeat(10_000)}c`;
    const packet = refusal(`FROB /api HTTP/1.1\r\nhost: x\r\na: ${value}\r\n\r\n`);
    const exec = vi.spyOn(RegExp.prototype, "exec");
    const request = requestOfUnknownMethod(packet);
    const lengths = exec.mock.calls.map(([text]) => text.length);
    expect(request?.headers["a"]).toBe(value);
    expect(lengths.length).toBeGreaterThan(2);
    expect(Math.max(...lengths)).toBeLessThan(100);
  });
});
