import { describe, expect, test } from "vitest";
import { parseFlags } from "./flags.ts";

const definitions = {
  all: { type: "switch", short: "A" },
  watch: { type: "switch", short: "w" },
  namespace: { type: "text", short: "n" },
  "dry-run": { type: "text", bare: "unchanged" },
  filename: { type: "list", short: "f" },
} as const;
const nothing = { all: undefined, watch: undefined, namespace: undefined, "dry-run": undefined, filename: [] };

describe("flags are found between the arguments", () => {
  for (const [given, flags, args] of [
    ["pods web", {}, ["pods", "web"]],
    ["pods -n shop web", { namespace: "shop" }, ["pods", "web"]],
    ["-nshop pods", { namespace: "shop" }, ["pods"]],
    ["-n=shop pods", { namespace: "shop" }, ["pods"]],
    ["--namespace=shop pods", { namespace: "shop" }, ["pods"]],
    ["pods --namespace shop", { namespace: "shop" }, ["pods"]],
    ["-Aw pods", { all: true, watch: true }, ["pods"]],
    ["-Anshop pods", { all: true, namespace: "shop" }, ["pods"]],
    ["--all=false pods", { all: false }, ["pods"]],
    ["--dry-run pods", { "dry-run": "unchanged" }, ["pods"]],
    ["--dry-run=server pods", { "dry-run": "server" }, ["pods"]],
    ["-f a -f - -f=b", { filename: ["a", "-", "b"] }, []],
    ["-n a -n b", { namespace: "b" }, []],
    ["pods -- -w", {}, ["pods", "-w"]],
  ] as const) {
    test(given, () =>
      expect(parseFlags("get", given.split(" "), definitions)).toEqual({ flags: { ...nothing, ...flags }, args }),
    );
  }
});

describe("bad flags are one sentence", () => {
  const help = "; `kubeloop get --help` lists the flags";
  for (const [given, sentence] of [
    ["--colour", "get: unknown flag: --colour"],
    ["-Ax", "get: unknown shorthand flag: 'x' in -Ax"],
    ["-n", "get: flag needs an argument: --namespace"],
    ["--all=maybe", 'get: --all must be true or false, not "maybe"'],
  ] as const) {
    test(given, () => expect(() => parseFlags("get", [given], definitions)).toThrow(sentence + help));
  }
});
