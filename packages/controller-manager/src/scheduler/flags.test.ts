// upstream-flags.facts.json holds the flags of kube-scheduler 1.36, read off its --help. upstream-complaints.facts.json holds what the real program says
// about command lines that it does not accept.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { asUpstreamFlags, byName, groupsOf, type UpstreamFlag } from "../flags/upstream-flags.fixture.ts";
import { execute } from "./execute-command.fixture.ts";
import { inertSchedulerFlags } from "./inert-flags.ts";
import { schedulerFlagGroups } from "./options.ts";

const readFacts = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as T;
const upstream = readFacts<readonly UpstreamFlag[]>("./upstream-flags.facts.json");

describe("flags", () => {
  const ours = asUpstreamFlags(schedulerFlagGroups);

  test("are upstream's, each in its group, with its type, letter and default", () => {
    expect(byName(ours)).toEqual(byName(upstream));
  });

  test("stand in groups of upstream's order", () => {
    expect(groupsOf(ours)).toEqual(groupsOf(upstream));
  });

  test("each says what it does", () => {
    expect(schedulerFlagGroups.flatMap(({ flags }) => flags).filter(({ usage }) => usage === "")).toEqual([]);
  });
});

describe("flags without effect", () => {
  test("are these, and --help marks them and no others", async () => {
    const names = Object.keys(inertSchedulerFlags).toSorted();
    expect(names).toEqual([
      "contention-profiling",
      "log-flush-frequency",
      "log-json-info-buffer-size",
      "log-text-info-buffer-size",
      "permit-address-sharing",
    ]);
    const { stdout } = await execute("--help");
    const marked = [...stdout.matchAll(/^ +--([\w-]+).*\(has no effect yet\)$/gm)].map(([, name]) => name);
    expect(marked.toSorted()).toEqual(names);
  });

  test("warn at the start", async () => {
    const { stderr } = await execute("--kubeconfig=/nowhere", "--permit-address-sharing", "--kube-api-burst=5");
    const warned = [...stderr.matchAll(/"flag has no effect" flag="(.*?)"/g)].map(([, flag]) => flag);
    expect(warned).toEqual(["--permit-address-sharing"]);
  });
});

const complaints = readFacts<readonly (readonly [args: readonly string[], complaint: string])[]>(
  "./upstream-complaints.facts.json",
);

describe("upstream's complaint about", () => {
  test.each(complaints)("%j is ours", async (args, complaint) => {
    const { exitCode, stderr } = await execute("--kubeconfig=/nowhere", ...args);
    expect({ exitCode, complaint: complaintIn(stderr) }).toEqual({ exitCode: 1, complaint });
  });
});

/** As klog prints an error, or as a command line is refused. */
function complaintIn(stderr: string): string | undefined {
  const [, quoted] = /"command failed"(?: err=|,.*"err":)("(?:[^"\\]|\\.)*")/.exec(stderr) ?? [];
  if (quoted !== undefined) return JSON.parse(quoted) as string;
  return /^Error: (.*)$/m.exec(stderr)?.[1];
}
