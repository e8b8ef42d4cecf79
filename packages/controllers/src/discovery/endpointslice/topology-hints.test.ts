import type { discoveryv1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import type { DraftSlice } from "./draft-slices.ts";
import { addTopologyHints, isOverloaded } from "./topology-hints.ts";

/** "a": in zone a; "a>b": and meant for b; "!a": not ready; "": without a zone. */
function endpoint(text: string, i: number): discoveryv1.Endpoint {
  const ready = !text.startsWith("!");
  const [zone = "", hint] = text.replace("!", "").split(">");
  return {
    addresses: [`10.0.0.${i}`],
    conditions: { ready },
    ...(zone === "" ? {} : { zone }),
    ...(hint === undefined ? {} : { hints: { forZones: [{ name: hint }] } }),
  };
}
const stored = {} as discoveryv1.EndpointSlice;
const draft = (texts: string, isChanged: boolean, before: typeof stored | undefined = stored): DraftSlice => ({
  before,
  ports: [],
  endpoints: texts.split(" ").map(endpoint),
  isChanged,
});
const unchanged = (texts: string) => draft(texts, false);
const changed = (texts: string) => draft(texts, true);

type Ratios = Readonly<Record<string, number>> | undefined;
const hinted = (drafts: readonly DraftSlice[], ratios: Ratios, hasSeenNodes = true) =>
  addTopologyHints(drafts, {
    ratios: ratios === undefined ? undefined : new Map(Object.entries(ratios)),
    hasSeenNodes,
  });
const print = (drafts: readonly DraftSlice[]) =>
  drafts.map(({ endpoints, isChanged }) => {
    const each = endpoints.map(({ zone = "", conditions, hints }) => {
      const hint = hints?.forZones?.[0]?.name;
      return `${conditions?.ready === true ? "" : "!"}${zone}${hint === undefined ? "" : `>${hint}`}`;
    });
    return `${each.join(" ")}${isChanged ? " changed" : ""}`;
  });
const half = { a: 0.5, b: 0.5 };

describe("endpoints are meant", () => {
  for (const [what, drafts, ratios, expected] of [
    ["for their own zones", [changed("a b")], half, ["a>a b>b changed"]],
    ["for zones that have too few", [changed("a a a b")], half, ["a>b a>a a>a b>b changed"]],
    ["for a zone that has none", [changed("a a")], half, ["a>b a>a changed"]],
    ["as the CPUs are shared", [changed("a a b b")], { a: 0.25, b: 0.75 }, ["a>b a>a b>b b>b changed"]],
    ["for nobody while they are not ready", [changed("a b !a")], half, ["a>a b>b !a changed"]],
    ["as before, if that is right", [unchanged("a>a b>b")], half, ["a>a b>b"]],
    [
      "as before in slices that do not change",
      [unchanged("a>a b>b"), changed("a b")],
      half,
      ["a>a b>b", "a>a b>b changed"],
    ],
    ["anew where one has no hint", [unchanged("a>a b")], half, ["a>a b>b changed"]],
    ["anew where a zone is none any more", [unchanged("a>a b>c")], half, ["a>a b>b changed"]],
    [
      "anew where a zone gets too many",
      [unchanged("a>a a>a a>a a>a b>b b>b")],
      half,
      ["a>b a>a a>a a>a b>b b>b changed"],
    ],
    [
      "anew where a zone gets too many together with another slice",
      [unchanged("a>a a>a"), unchanged("a>a a>a b>b b>b")],
      half,
      ["a>a a>a", "a>b a>a b>b b>b changed"],
    ],
    [
      "for their own zones, if less than one would have to move",
      [changed("a a a a a a b b b b b")],
      { a: 5.4 / 11, b: 5.6 / 11 },
      ["a>a a>a a>a a>a a>a a>a b>b b>b b>b b>b b>b changed"],
    ],
    [
      "for three zones",
      [changed("a a b b c c")],
      { a: 1 / 3, b: 1 / 3, c: 1 / 3 },
      ["a>a a>a b>b b>b c>c c>c changed"],
    ],
  ] as const) {
    test(what, () => {
      const done = hinted(drafts, ratios);
      expect(done.refusal).toBeUndefined();
      expect(print(done.drafts)).toEqual(expected);
    });
  }
});

describe("endpoints are meant for everybody", () => {
  const unknown = "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  for (const [what, drafts, ratios, expected, refusal] of [
    ["if the shares are not known", [unchanged("a>a b>b")], undefined, ["a b changed"], unknown],
    [
      "if there are fewer than zones",
      [changed("a")],
      half,
      ["a changed"],
      "Insufficient number of endpoints (1 endpoints, 2 zones)",
    ],
    [
      "if only those that are ready are too few",
      [unchanged("a !b")],
      half,
      ["a !b"],
      "Insufficient number of endpoints (1 endpoints, 2 zones)",
    ],
    [
      "if a zone would be overloaded",
      [changed("a b")],
      { a: 0.9, b: 0.1 },
      ["a b changed"],
      "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (2 endpoints, 2 zones)",
    ],
    [
      "if one has no zone",
      [changed("a b "), unchanged("a>a")],
      half,
      ["a b  changed", "a changed"],
      "One or more endpoints do not have a zone specified",
    ],
  ] as const) {
    test(what, () => {
      const done = hinted(drafts, ratios);
      expect([print(done.drafts), done.refusal]).toEqual([expected, refusal]);
    });
  }

  test("if there never was a node", () => {
    expect(hinted([changed("a b")], undefined, false).refusal).toBe("Nodes only ready in one zone");
  });
});

test("it says how many are meant for each zone", () => {
  expect(hinted([unchanged("a>a b>b"), changed("a a")], half).zones).toEqual(
    new Map([
      ["a", 2],
      ["b", 2],
    ]),
  );
});

describe("a Service is overloaded", () => {
  for (const [what, zones, ratios, expected] of [
    ["not without hints", {}, half, false],
    ["if the shares are not known any more", { a: 1, b: 1 }, undefined, true],
    ["if a zone has none", { a: 2 }, half, true],
    ["if a zone has too few", { a: 1, b: 9 }, half, true],
    ["not if each zone has about its share", { a: 5, b: 6 }, half, false],
    ["not if a zone that is gone has some", { a: 5, b: 5, c: 1 }, half, false],
  ] as const) {
    test(what, () => {
      const shares = ratios === undefined ? undefined : new Map(Object.entries(ratios));
      expect(isOverloaded(new Map(Object.entries(zones)), shares)).toBe(expected);
    });
  }
});
