// Words, numbers, keys and whole bodies that have broken servers before. Long ones are made when they are asked for.
import type { Draw } from "./draw.contract.ts";

/** Names that mean something to JavaScript, and keys that mean something to those who read JSON. */
export const nastyKeys: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toString",
  "valueOf",
  "toJSON",
  "then",
  "length",
  "",
  "0",
  "-1",
  "a/b/c",
  "a~b",
  "$patch",
  "$retainKeys",
  "$setElementOrder/containers",
  "$deleteFromPrimitiveList/finalizers",
  "kind",
  "apiVersion",
  "metadata",
  "spec",
  "status",
  "Metadata",
  "KIND",
  "\u0000",
  "\u{1f600}",
  "\ud800",
];

export const nastyTexts: readonly string[] = [
  ...nastyKeys,
  " ",
  ".",
  "..",
  "../../etc/passwd",
  "%00",
  "null",
  "true",
  "-0",
  "NaN",
  "1e999999999",
  "1e-999999999",
  "9".repeat(400),
  "0x10",
  "1Ei",
  "999999999999999Ei",
  "0.0000000000000000000000001",
  "-9223372036854775809",
  "18446744073709551616",
  "2030-01-01T00:00:00Z",
  "0000-00-00T00:00:00Z",
  "+292277026596-12-04T15:30:08Z",
  "9999-12-31T23:59:60Z",
  "99999h",
  "*/5 * * * *",
  "@every 1ns",
  "TZ=../../x 0 0 29 2 *",
  "10.0.0.1",
  "::ffff:10.0.0.1",
  "fe80::1%eth0",
  "300.1.1.1/99",
  "::/0",
  "a=b",
  "a in (",
  "!a,b notin (c),d>1",
  "metadata.name=x",
  "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  "AAAA",
  "====",
  "repo/image@sha256:0",
  "\r\nx-injected: 1",
  "\u2028\u202e\ufeff",
  "\ud800",
  "\udfff\ud800",
  "$(NAME)",
  "{{.}}",
  "a".repeat(64),
  "a".repeat(254),
  `${"a-".repeat(40)}!`,
  `${"a.".repeat(130)}!`,
  `${"/a".repeat(300)}`,
];

const nastyNumbers: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.5,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  1e21,
  1e308,
  5e-324,
];

export function nastyScalar(draw: Draw): unknown {
  switch (draw.below(8)) {
    case 0:
      return null;
    case 1:
      return draw.oneIn(2);
    case 2:
    case 3:
      return draw.from(nastyNumbers);
    case 4:
      return longText(draw);
    default:
      return draw.from(nastyTexts);
  }
}

/** Mostly some hundred characters; now and then very many. */
function longText(draw: Draw): string {
  const piece = draw.from(["a", "a.", "a-", "0", "/", "9", "é", "\u{1f600}", "\u0000", "\\", '"', "(", "a,", " "]);
  return piece.repeat(draw.oneIn(20) ? 60_000 : draw.below(600));
}

export function nastyValue(draw: Draw): unknown {
  switch (draw.below(6)) {
    case 0:
      return [];
    case 1:
      return {};
    case 2:
      return Array.from({ length: draw.oneIn(30) ? 5_000 : draw.below(6) }, () => nastyScalar(draw));
    case 3:
      return withKey({}, draw.from(nastyKeys), nastyScalar(draw));
    case 4:
      return nested(draw, draw.oneIn(10) ? 2_000 : draw.below(40));
    default:
      return nastyScalar(draw);
  }
}

/** As a parser would put it there: also `__proto__` becomes a key of its own. */
export function withKey(object: object, key: string, value: unknown): object {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

function nested(draw: Draw, depth: number): unknown {
  const key = draw.from(["a", "properties", "items", "metadata", "__proto__"]);
  let value: unknown = nastyScalar(draw);
  const isList = draw.oneIn(2);
  for (let i = 0; i < depth; i++) value = isList ? [value] : withKey({}, key, value);
  return value;
}
