import { actionsOf } from "@kubeloop/core/contract";
import { newNode, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { decide, ttlAnnotation } from "./decide.ts";

type Annotations = Readonly<Record<string, string>> | undefined;
const planned = (annotations: Annotations, ttlSeconds: number) =>
  actionsOf(
    decide({ node: stored(newNode("n1", annotations === undefined ? {} : { metadata: { annotations } })), ttlSeconds }),
  );
const ttl = (text: string) => ({ [ttlAnnotation]: text });

describe("a node is told", () => {
  test.each<[string, Annotations, number]>([
    ["0, where it has no annotations", undefined, 0],
    ["10, where it has no annotations", undefined, 10],
    ["10, where it has none of that name", {}, 10],
    ["10, where others are there", { a: "b" }, 10],
    ["15, where it was never told", undefined, 15],
    ["10 instead of 0", ttl("0"), 10],
    ["10 instead of 0, where others are there", { ...ttl("0"), a: "b" }, 10],
    ["60 instead of 0", ttl("0"), 60],
    ["30 instead of 60", ttl("60"), 30],
    ["0 instead of nothing", ttl(""), 0],
    ["15 instead of what is no number", ttl("soon"), 15],
    ["15 instead of what only begins with it", ttl("15s"), 15],
    ["15 instead of what is surrounded by spaces", ttl(" 15 "), 15],
    ["15 instead of a fraction", ttl("15.0"), 15],
    ["15 instead of hexadecimal", ttl("0xf"), 15],
  ])("%s", (_fact, annotations, seconds) => {
    const [action, ...others] = planned(annotations, seconds);
    // Only the annotation, whatever else has changed since.
    expect(action).toMatchObject({ type: "edit", isLocked: false, tolerates: [] });
    expect(action?.type === "edit" && action.patch).toEqual({ metadata: { annotations: ttl(String(seconds)) } });
    expect(others).toEqual([]);
  });
});

describe("a node is left alone", () => {
  test.each<[string, Annotations, number]>([
    ["where it says so already", ttl("60"), 60],
    ["where it says so among others", { ...ttl("10"), a: "b" }, 10],
    ["where it says 0 already", ttl("0"), 0],
    ["where it says so with a sign", ttl("+15"), 15],
    ["where it says so with leading zeros", ttl("015"), 15],
  ])("%s", (_fact, annotations, seconds) => expect(planned(annotations, seconds)).toEqual([]));
});
