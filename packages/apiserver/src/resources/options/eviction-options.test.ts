// Answers of a real server 1.36, which the differential script compares, too.
import type { policyv1, Query } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { evictionOptionsOf } from "./eviction-options.ts";

const optionsOf = (deleteOptions: object | undefined, ...dryRun: readonly string[]) => {
  const eviction = { metadata: { name: "a" }, ...(deleteOptions === undefined ? {} : { deleteOptions }) };
  const query: Query = dryRun.map((value) => ["dryRun", value] as const);
  return evictionOptionsOf(eviction as policyv1.Eviction, query);
};

test.each([
  ["nothing is asked for", undefined, [], { isDryRun: false, graceSeconds: undefined }],
  ["the query asks for a dry run", { gracePeriodSeconds: 5 }, ["All"], { isDryRun: true, graceSeconds: 5 }],
  ["its options ask for a dry run", { dryRun: ["All"] }, [], { isDryRun: true }],
  ["both ask for the same", { dryRun: ["All"] }, ["All"], { isDryRun: true }],
  [
    "what cannot be read is to stay",
    { ignoreStoreReadErrorWithClusterBreakingPotential: false },
    [],
    { isDryRun: false },
  ],
])("%s", (_, deleteOptions, dryRun, expected) => {
  expect(optionsOf(deleteOptions, ...dryRun)).toMatchObject(expected);
});

test.each([
  [
    "both ask, for something else",
    { dryRun: ["Some"] },
    ["All"],
    { code: 500, message: "Non-matching dry-run options in request and content: [All] and [Some]" },
  ],
  [
    "both ask, but one of them twice",
    { dryRun: ["All", "All"] },
    ["All"],
    { code: 500, message: "Non-matching dry-run options in request and content: [All] and [All All]" },
  ],
  [
    "what cannot be read is to go as well",
    { ignoreStoreReadErrorWithClusterBreakingPotential: true },
    [],
    {
      code: 422,
      message:
        'Eviction.policy "a" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
    },
  ],
])("refused: %s", (_, deleteOptions, dryRun, expected) => {
  expect(() => optionsOf(deleteOptions, ...dryRun)).toThrow(expect.objectContaining(expected));
});
