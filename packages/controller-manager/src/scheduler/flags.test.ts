// upstream-flags.facts.json holds the flags of kube-scheduler 1.36, read off its --help. upstream-complaints.facts.json holds what the real program says
// about command lines that it does not accept.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { newSchedulerCommand } from "./command.ts";
import { inertSchedulerFlags } from "./inert-flags.ts";
import { schedulerFlagGroups } from "./options.ts";

interface UpstreamFlag {
  readonly group: string;
  readonly name: string;
  readonly type: string;
  readonly default?: string;
  readonly short?: string;
}

const readFacts = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as T;
const upstream = readFacts<readonly UpstreamFlag[]>("./upstream-flags.facts.json");

async function execute(...args: readonly string[]) {
  const written = { stdout: "", stderr: "" };
  const exitCode = await newSchedulerCommand().execute(args, {
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    stopSignal: () => AbortSignal.abort(),
  });
  return { exitCode, ...written };
}

describe("flags", () => {
  const ours = schedulerFlagGroups.flatMap(({ name: group, flags }) =>
    flags.map((flag) => ({ group: group.slice(0, 1).toUpperCase() + group.slice(1), flag })),
  );

  test("are upstream's, each in its group, with its type, letter and default", () => {
    const sort = (flags: readonly UpstreamFlag[]) => flags.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const found = ours.map(({ group, flag: { name, type, fallback, short } }) => {
      const text = type.print(fallback);
      const isZero = ["", "0", "0s", "false"].includes(text) || (type.name === "strings" && text === "[]");
      return {
        group,
        name,
        type: type.bareText === undefined || type.name === "bool" ? type.name : `${type.name}[=${type.bareText}]`,
        ...(isZero ? {} : { default: text }),
        ...(short === undefined ? {} : { short }),
      };
    });
    expect(sort(found)).toEqual(sort(upstream));
  });

  test("stand in groups of upstream's order", () => {
    const groups = (rows: readonly { readonly group: string }[]) => [...new Set(rows.map(({ group }) => group))];
    expect(groups(ours)).toEqual(groups(upstream));
  });

  test("each says what it does", () => {
    expect(ours.filter(({ flag }) => flag.usage === "")).toEqual([]);
  });
});

describe("flags without effect", () => {
  test("are these, and --help marks them and no others", async () => {
    const names = Object.keys(inertSchedulerFlags).toSorted();
    expect(names).toEqual([
      "contention-profiling",
      "kube-api-content-type",
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
