import { SourceMap } from "node:module";
import { expect, test } from "vitest";
import { toLineMap } from "./line-map.ts";

// By the compiler, of: line 1 "const a = 1;", line 2 "", line 3 "export function f() {", line 4 "  return a + 1000;", line 5 "}".
const map = {
  version: 3,
  file: "a.js",
  sources: ["a.ts"],
  mappings: "AAAA,MAAM,CAAC,GAAG,CAAC,CAAC;AAEZ,MAAM,UAAU,CAAC;IACf,OAAO,CAAC,GAAG,IAAI,CAAC;AAClB,CAAC",
};

test("every line leads where it led before", () => {
  const [before, after] = [map, toLineMap(map)].map(
    (each) =>
      new SourceMap({
        sourceRoot: "",
        names: [],
        sourcesContent: [],
        file: "a.js",
        ...each,
        sources: [...each.sources],
      }),
  );
  const lineOf = (of: SourceMap | undefined, line: number, column: number) => {
    const entry = of?.findEntry(line, column);
    return entry !== undefined && "originalLine" in entry ? `${entry.originalSource}:${entry.originalLine}` : "";
  };
  for (const [line, column] of [
    [0, 0],
    [0, 9],
    [1, 0],
    [1, 12],
    [2, 4],
    [2, 11],
    [3, 0],
  ] as const) {
    expect(lineOf(after, line, column)).toBe(lineOf(before, line, column));
  }
  expect(lineOf(after, 2, 11)).toBe("a.ts:3");
});

test("with one segment a line", () => {
  expect(toLineMap(map).mappings).toBe("AAAA;AAEA;IACE;AACF");
});
