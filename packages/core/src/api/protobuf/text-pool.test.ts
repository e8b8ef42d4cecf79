import { describe, expect, test, vi } from "vitest";
import { TextPool } from "./text-pool.ts";

/** How often a text was made of bytes, which is when a new one takes memory. */
function countedReads(
  texts: readonly string[],
  read: "read" | "readKey",
): { made: number; answers: readonly string[] } {
  const pool = new TextPool();
  let made = 0;
  const answers = texts.map((text) => {
    const bytes = Buffer.from(`<${text}>`);
    const spy = vi.spyOn(bytes, "toString");
    const answer = pool[read](bytes, 1, bytes.length - 1);
    made += spy.mock.calls.length;
    return answer;
  });
  return { made, answers };
}

for (const read of ["read", "readKey"] as const) {
  describe(read, () => {
    for (const [fact, texts, made] of [
      [
        "text that repeats is made once",
        ["registry.example/nginx:1.27", "Running", "registry.example/nginx:1.27", "Running"],
        2,
      ],
      ["text that differs in its first or last character is another", ["abcdefgh", "xbcdefgh", "abcdefgx"], 3],
      ["text that begins as another is another", ["abc", "abcd", "ab"], 3],
      ["text of other characters is made each time", ["é", "é"], 2],
      ["long text is made each time", ["x".repeat(200), "x".repeat(200)], 2],
    ] as const) {
      test(fact, () => expect(countedReads(texts, read)).toEqual({ made, answers: texts }));
    }

    test("whatever comes, what is read is what was written", () => {
      const texts = Array.from({ length: 20_000 }, (_, i) => `name-${(i * 7919) % 10_007}`);
      expect(countedReads(texts, read).answers).toEqual(texts);
    });

    test("bytes that are no UTF-8 are U+FFFD, each time", () => {
      const pool = new TextPool();
      const bytes = Buffer.from([0x61, 0xff, 0x62]);
      for (let i = 0; i < 2; i++) expect(pool[read](bytes, 0, 3)).toBe("a\ufffdb");
    });
  });
}
