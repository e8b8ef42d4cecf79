import { describe, expect, test } from "vitest";
import { validateDns1123Subdomain } from "../api/index.ts";
import { seededRandom } from "../base/index.ts";
import { EventNames } from "./event-names.ts";

const atMs = Date.UTC(2023, 0, 1, 12);
const nanosOf = (name: string) => BigInt(`0x${name.split(".").at(-1)}`);

describe("the name of an event", () => {
  test("is the object's and the nanosecond", () => {
    const name = new EventNames(seededRandom(1)).next("pod1", atMs);
    expect(name).toMatch(/^pod1\.[0-9a-f]{16}$/);
    expect(nanosOf(name) / 1_000_000n).toBe(BigInt(atMs));
  });

  test("is given once, however many there are in one millisecond, and whatever the clock does", () => {
    const names = new EventNames(seededRandom(1));
    const given = Array.from({ length: 20_000 }, (_, i) => names.next("pod1", atMs - (i % 3)));
    expect(new Set(given).size).toBe(given.length);
  });

  test("differs between processes", () => {
    expect(new EventNames(seededRandom(1)).next("a", atMs)).not.toBe(new EventNames(seededRandom(2)).next("a", atMs));
  });

  test.each([
    ["the object's is none for an event", "2001:db8::123"],
    ["the object's is too long", "x".repeat(1000)],
    ["the object has none", ""],
  ])("is a UUID when %s", (_, objectName) => {
    const names = new EventNames(seededRandom(1));
    const [a, b] = [names.next(objectName, atMs), names.next(objectName, atMs)];
    expect(a).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(validateDns1123Subdomain(a)).toEqual([]);
    expect(b).not.toBe(a);
  });
});
