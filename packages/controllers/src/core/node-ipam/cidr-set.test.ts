import { describe, expect, test } from "vitest";
import { parseCidr, printCidr } from "./cidr.ts";
import { CidrSet } from "./cidr-set.ts";

const parse = (text: string) => {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`${text} is no network`);
  return cidr;
};
const newSet = (cluster: string, nodeBits: number) => new CidrSet(parse(cluster), nodeBits);
/** The next one, as text. */
function take(set: CidrSet): string | undefined {
  const free = set.findFree();
  if (free === undefined) return undefined;
  set.take(free);
  return printCidr(set.at(free.index));
}

describe("a cluster's network is divided", () => {
  test.each<[string, number, number, string]>([
    ["127.123.3.0/30", 30, 0, "127.123.3.0/30"],
    ["127.123.0.0/16", 24, 0, "127.123.0.0/24"],
    ["127.123.0.0/16", 24, 15, "127.123.15.0/24"],
    ["192.168.5.219/28", 32, 5, "192.168.5.213/32"],
    ["10.0.0.0/8", 24, 65_535, "10.255.255.0/24"],
    ["2001:db8:1234:3::/48", 64, 0, "2001:db8:1234::/64"],
    ["2001:db8:1234::/48", 64, 15, "2001:db8:1234:f::/64"],
    ["2001:db8:1234:ff00::/56", 68, 7, "2001:db8:1234:ff00:7000::/68"],
    ["2001:db8::/64", 80, 65_535, "2001:db8:0:0:ffff::/80"],
    ["2001:db8:1234:0::/60", 76, 65_535, "2001:db8:1234:f:fff0::/76"],
  ])("%s into those of %i bits: number %i is %s", (cluster, nodeBits, index, expected) => {
    expect(printCidr(newSet(cluster, nodeBits).at(index))).toBe(expected);
  });

  test.each([
    ["10.0.0.0/16", 24, 256],
    ["10.0.0.0/16", 16, 1],
    ["10.0.0.0/8", 32, 16_777_216],
    ["fd00::/48", 64, 65_536],
  ])("%s into those of %i bits: %i", (cluster, nodeBits, max) => expect(newSet(cluster, nodeBits).max).toBe(max));

  test.each<[string, number, string]>([
    ["fd00::/47", 64, "New CIDR set failed; the node CIDR size is too big"],
    ["10.0.0.0/24", 16, "does not fit"],
    ["10.0.0.0/24", 33, "does not fit"],
  ])("%s not into those of %i bits", (cluster, nodeBits, message) => {
    expect(() => newSet(cluster, nodeBits)).toThrow(message);
  });
});

describe("networks are given out", () => {
  test("one after the other, and none twice", () => {
    const set = newSet("10.0.0.0/22", 24);
    expect([take(set), take(set), take(set), take(set), take(set)]).toEqual([
      "10.0.0.0/24",
      "10.0.1.0/24",
      "10.0.2.0/24",
      "10.0.3.0/24",
      undefined,
    ]);
  });

  test("again when all others were, from where the last one was found", () => {
    const set = newSet("10.0.0.0/22", 24);
    take(set);
    take(set);
    set.release(parse("10.0.0.0/24"));
    expect([take(set), take(set), take(set)]).toEqual(["10.0.2.0/24", "10.0.3.0/24", "10.0.0.0/24"]);
  });

  test("the only one, again and again", () => {
    const set = newSet("127.123.234.0/30", 30);
    expect([take(set), take(set)]).toEqual(["127.123.234.0/30", undefined]);
    set.release(parse("127.123.234.0/30"));
    expect(take(set)).toBe("127.123.234.0/30");
  });

  test("of IPv6", () => {
    const set = newSet("beef:1234::/62", 64);
    expect([take(set), take(set), take(set), take(set), take(set)]).toEqual([
      "beef:1234::/64",
      "beef:1234:0:1::/64",
      "beef:1234:0:2::/64",
      "beef:1234:0:3::/64",
      undefined,
    ]);
  });

  test("all of them: random returns come back", () => {
    const set = newSet("10.0.0.0/16", 24);
    const all = new Set(Array.from({ length: 256 }, () => take(set)));
    expect([all.size, set.findFree()]).toEqual([256, undefined]);
    for (let i = 0; i < 256; i++) set.release(set.at((i * 37) % 256));
    expect(new Set(Array.from({ length: 256 }, () => take(set)))).toEqual(all);
  });
});

describe("what is occupied", () => {
  test.each<[string, string, number, string, number]>([
    ["one of them", "10.0.0.0/16", 24, "10.0.7.0/24", 1],
    ["a part of one", "10.0.0.0/16", 24, "10.0.7.128/25", 1],
    ["several", "10.0.0.0/16", 24, "10.0.8.0/21", 8],
    ["all, by what is the same", "10.0.0.0/16", 24, "10.0.0.0/16", 256],
    ["all, by what is larger", "10.0.0.0/16", 24, "10.0.0.0/8", 256],
    ["none, by what is elsewhere", "10.0.0.0/16", 24, "10.1.0.0/24", 0],
    ["none, by what is of another family", "10.0.0.0/16", 24, "fd00::/64", 0],
    ["several of IPv6", "2001:db8::/48", 64, "2001:db8:0:10::/60", 16],
    ["the last one", "10.0.0.0/16", 24, "10.0.255.255/32", 1],
  ])("%s", (_fact, cluster, nodeBits, cidr, count) => {
    const set = newSet(cluster, nodeBits);
    expect(set.occupy(parse(cidr))).toBe(count > 0);
    expect(set.count).toBe(count);
    // Twice is as good as once.
    set.occupy(parse(cidr));
    expect([set.count, set.takeTally().allocations]).toEqual([count, count]);
    set.release(parse(cidr));
    set.release(parse(cidr));
    expect([set.count, set.takeTally().releases]).toEqual([0, count]);
  });

  test("is not given out", () => {
    const set = newSet("10.0.0.0/22", 24);
    set.occupy(parse("10.0.0.0/23"));
    expect([take(set), take(set), take(set)]).toEqual(["10.0.2.0/24", "10.0.3.0/24", undefined]);
  });

  test("was looked at in vain, which is counted", () => {
    const set = newSet("10.0.0.0/22", 24);
    set.occupy(parse("10.0.0.0/23"));
    take(set);
    take(set);
    expect(set.takeTally()).toEqual({ allocations: 4, releases: 0, tries: [2, 0] });
    expect(set.takeTally()).toEqual({ allocations: 0, releases: 0, tries: [] });
  });
});
