import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FlagError } from "../flags/index.ts";
import { asUpstreamFlags, byName, groupsOf, type UpstreamFlag } from "../flags/upstream-flags.fixture.ts";
import { configzName, toConfigz } from "./configz.ts";
import { flagGroups, parseOptions } from "./options.ts";
import { joinFaults, validateOptions } from "./validate-options.ts";

const readFacts = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as T;
const upstream = readFacts<readonly UpstreamFlag[]>("./upstream-flags.facts.json");

describe("flags", () => {
  const ours = asUpstreamFlags(
    flagGroups
      .filter(({ name }) => name !== "kubeloop")
      .map(({ name, flags }) => ({ name, flags: flags.filter(({ deprecated }) => deprecated === undefined) })),
  );

  test("are upstream's, each in its group, with its type, letter and default", () => {
    expect(byName(ours)).toEqual(byName(upstream));
  });

  test("stand in groups of upstream's order", () => {
    expect(groupsOf(ours)).toEqual(groupsOf(upstream));
  });

  test("each says what it does", () => {
    expect(flagGroups.flatMap(({ flags }) => flags).filter(({ usage }) => usage === "")).toEqual([]);
  });
});

test("/configz of the flags that upstream was started with is upstream's", () => {
  const { componentConfig } = parseOptions([
    "--kubeconfig=kubeconfig",
    "--controllers=*,bootstrap-signer-controller,token-cleaner-controller",
    "--use-service-account-credentials",
    "--cluster-cidr=10.244.0.0/16",
    "--allocate-node-cidrs",
    "--service-account-private-key-file=sa.key",
    "--root-ca-file=apiserver.crt",
  ]);
  expect(toConfigz(componentConfig)).toEqual(readFacts("./upstream-configz.facts.json"));
});

test("/configz tells both Service CIDRs apart", () => {
  const { componentConfig } = parseOptions(["--service-cluster-ip-range=10.0.0.0/16, fd00::/108"]);
  const document = toConfigz(componentConfig)[configzName];
  expect(document).toMatchObject({
    NodeIPAMController: { ServiceCIDR: "10.0.0.0/16", SecondaryServiceCIDR: "fd00::/108" },
  });
});

test("/configz has the controllers by the names of today", () => {
  const { componentConfig } = parseOptions(["--controllers=*,-nodeipam,tokencleaner,-ttl-controller"]);
  expect(toConfigz(componentConfig)[configzName]).toMatchObject({
    Generic: { Controllers: ["*", "-node-ipam-controller", "token-cleaner-controller", "-ttl-controller"] },
  });
});

const complaints = readFacts<readonly (readonly [args: readonly string[], complaint: string])[]>(
  "./upstream-complaints.facts.json",
);

describe("upstream's complaint about", () => {
  test.each(complaints)("%j is ours", (args, complaint) => expect(complain(args)).toBe(complaint));
});

function complain(args: readonly string[]): string {
  try {
    return joinFaults(validateOptions(parseOptions(args)));
  } catch (error) {
    if (error instanceof FlagError) return error.message;
    throw error;
  }
}
