import { findStatusError } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { type LogOptions, parseLogOptions, selectLines } from "./log-options.ts";

const nowMs = 1_000_000;

function parse(text: string): LogOptions {
  return parseLogOptions({ query: [...new URLSearchParams(text)] }, nowMs);
}

const undecodable = [400, '{"message": "Unable to decode query."}'];
const invalid = [422, '{"message": "Invalid request."}'];

describe("a kubelet refuses", () => {
  test.each([
    ["tailLines=x", undecodable],
    ["tailLines=", undecodable],
    ["tailLines=1.5", undecodable],
    ["tailLines=1e3", undecodable],
    ["tailLines=9223372036854775808", undecodable],
    ["tail=some", undecodable],
    ["limitBytes=0x10", undecodable],
    ["sinceSeconds=soon", undecodable],
    ["sinceTime=yesterday", undecodable],
    ["tailLines=-1&sinceTime=yesterday", undecodable],
    ["tailLines=-1", invalid],
    ["tail=-1", invalid],
    ["limitBytes=0", invalid],
    ["limitBytes=-5", invalid],
    ["sinceSeconds=0", invalid],
    ["sinceSeconds=-1", invalid],
    ["sinceSeconds=5&sinceTime=2030-01-01T00:00:00Z", invalid],
    ["sinceSeconds=5&sinceTime=", invalid],
    ["stream=stdout", invalid],
    ["stream=Stdout&tailLines=5", invalid],
  ])("%s", (query, expected) => {
    let seen: unknown;
    try {
      parse(query);
    } catch (error) {
      seen = [findStatusError(error)?.code, (error as Error).message];
    }
    expect(seen).toEqual(expected);
  });
});

describe("a kubelet reads", () => {
  test.each<[string, Partial<LogOptions>]>([
    ["", { tailLines: undefined, sinceMs: Number.NEGATIVE_INFINITY, limitBytes: Number.POSITIVE_INFINITY }],
    ["tailLines=0&limitBytes=1", { tailLines: 0, limitBytes: 1 }],
    ["tailLines=9223372036854775807", { tailLines: 2 ** 63 }],
    ["tail=7&tailLines=5", { tailLines: 7 }],
    ["tail=all&tailLines=x", { tailLines: undefined }],
    ["sinceSeconds=60", { sinceMs: nowMs - 60_000 }],
    ["sinceTime=1970-01-01T00:00:05Z", { sinceMs: 5000 }],
    ["sinceTime=null", { sinceMs: Number.NEGATIVE_INFINITY }],
    ["follow=&previous=yes&timestamps=FALSE", { isFollowed: true, isPrevious: true, hasTimestamps: false }],
    ["follow=0&previous=false&timestamps=true", { isFollowed: false, isPrevious: false, hasTimestamps: true }],
    ["stream=All", { stream: undefined }],
    ["stream=Stderr", { stream: "Stderr" }],
  ])("%s", (query, expected) => {
    expect(parse(query)).toMatchObject(expected);
  });
});

test("the last lines are chosen before the young ones", () => {
  const lines = [1, 2, 3, 4].map((second) => ({ atMs: second * 1000, text: String(second) }));
  const select = (query: string) => selectLines(lines, parse(query)).map(({ text }) => text);
  expect(select("tailLines=3&sinceTime=1970-01-01T00:00:03Z")).toEqual(["3", "4"]);
  expect(select("tailLines=0")).toEqual([]);
});
