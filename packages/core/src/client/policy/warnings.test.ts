import { describe, expect, test } from "vitest";
import { type HttpHeaders, valueResponse } from "../../api/transport.ts";
import { type Log, noLog } from "../../base/index.ts";
import { newRequest } from "./scripted-transport.fixture.ts";
import facts from "./warnings.facts.json" with { type: "json" };
import { parseWarnings, withWarnings } from "./warnings.ts";

const warningsOf = (headers: HttpHeaders) => parseWarnings(headers).map(({ code, agent, text }) => [code, agent, text]);

describe("Warning headers, as apimachinery reads them", () => {
  for (const [headers, expected] of facts as unknown as [string[], unknown[]][]) {
    test(JSON.stringify(headers), () => {
      expect(warningsOf({ warning: headers })).toEqual(expected);
      if (headers.length === 1) expect(warningsOf({ warning: headers[0] ?? "" })).toEqual(expected);
    });
  }
});

describe("beyond that", () => {
  for (const [name, headers, texts] of [
    ["no header at all", {}, []],
    ["two headers that were joined on the way", { warning: '299 - "one", 299 - "two"' }, ["one", "two"]],
    ["UTF-8 that came byte by byte", { warning: '299 - "gr\u00c3\u00bc\u00c3\u009f"' }, ["grüß"]],
    ["Latin-1 that is not UTF-8", { warning: '299 - "gr\u00fc\u00df"' }, ["grüß"]],
    ["letters that are neither", { warning: '299 - "Ω\u00c3\u00bc"' }, ["Ω\u00c3\u00bc"]],
  ] as const) {
    test(name, () => expect(parseWarnings(headers).map(({ text }) => text)).toEqual(texts));
  }

  test("a hostile header is read in no time", () => {
    const hostile = `299 - "${"\\".repeat(60_001)}`;
    expect(parseWarnings({ warning: [hostile, `${" ".repeat(60_000)}x`, '299 - "a"'] })).toHaveLength(1);
  });
});

describe("a client tells its log", () => {
  async function toldOf(answers: readonly HttpHeaders[], maxRemembered?: number): Promise<readonly unknown[]> {
    const lines: unknown[] = [];
    const log: Log = { ...noLog, warn: (message, fields) => lines.push(`${message}: ${fields?.["text"]}`) };
    const pending = [...answers];
    const transport = withWarnings(async () => valueResponse(200, {}, pending.shift()), { log, maxRemembered });
    for (const _ of answers) await transport(newRequest(), new AbortController().signal);
    return lines;
  }
  const answer = (text: string): HttpHeaders => ({ warning: `299 - "${text}"` });

  for (const [name, answers, maxRemembered, expected] of [
    ["each warning", [answer("a"), answer("b")], undefined, ["a", "b"]],
    ["each only once", [answer("a"), answer("b"), answer("a")], undefined, ["a", "b"]],
    ["several of one answer", [{ warning: ['299 - "a", 299 - "a"', '299 - "b"'] }], undefined, ["a", "b"]],
    ["no other codes, and nothing empty", [{ warning: '199 - "a", 299 - ""' }], undefined, []],
    [
      "again what it had to forget",
      [answer("a"), answer("b"), answer("c"), answer("a"), answer("c")],
      2,
      "abca".split(""),
    ],
  ] as const) {
    test(name, async () => {
      expect(await toldOf(answers, maxRemembered)).toEqual(expected.map((text) => `server warning: ${text}`));
    });
  }
});
