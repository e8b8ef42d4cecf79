// upstream-configurations.facts.json holds what kube-scheduler 1.36 makes of configuration files: its complaint, or what it writes for `--write-config-to`. The
// first one is whole; of the others it is what differs from the first, with `pluginConfig` by name.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SchedulerConfigurationError } from "./configuration-error.ts";
import { decodeSchedulerConfiguration } from "./scheduler-configuration.ts";

interface Fact {
  readonly document: object;
  readonly complaint?: string;
  readonly written?: unknown;
}

const facts = JSON.parse(
  readFileSync(new URL("./upstream-configurations.facts.json", import.meta.url), "utf8"),
) as readonly Fact[];
const [byDefault] = facts;

/** What upstream accepts and this scheduler refuses, with its sentence. */
const unsupported: readonly (readonly [document: string, complaint: string])[] = [
  ['"preFilter":{"disabled":[{"name":"NodeAffinity"}]', "NodeAffinity at filter without preFilter"],
  ['"preScore":{"disabled":[{"name":"*"}]', "TaintToleration at score without preScore"],
  ['"reserve":{"disabled":[{"name":"VolumeBinding"}]', "VolumeBinding at filter without reserve"],
  ['"preBind":{"disabled":[{"name":"VolumeBinding"}]', "VolumeBinding at filter without preBind"],
  ['"filter":{"disabled":[{"name":"*"}]', "VolumeBinding at filter without reserve, or at reserve alone"],
  ['"extenders":[{"urlPrefix":"http://x","filterVerb":"f"}]', "extenders are not supported"],
];
const sentenceFor = ({ document }: Fact) => {
  const text = JSON.stringify(document);
  return unsupported.find(([part]) => text.includes(part))?.[1];
};

function complaintOf(document: unknown): string {
  try {
    decodeSchedulerConfiguration(document);
    return "";
  } catch (error) {
    if (error instanceof SchedulerConfigurationError) return error.message;
    throw error;
  }
}

const short = (document: object) => {
  const { apiVersion: _, kind: __, clientConnection: ___, ...rest } = document as Readonly<Record<string, unknown>>;
  return JSON.stringify(rest);
};

describe("upstream's complaint is ours:", () => {
  test.each(
    facts.flatMap(({ document, complaint }) =>
      complaint === undefined ? [] : [[short(document), document, complaint]],
    ),
  )("%s", (_, document, complaint) => expect(complaintOf(document)).toBe(complaint));
});

test("the defaults are upstream's", () => {
  expect(decodeSchedulerConfiguration(byDefault?.document).document).toEqual(byDefault?.written);
});

describe("what upstream writes is what we write:", () => {
  const rows = facts.slice(1).filter((fact) => fact.written !== undefined && sentenceFor(fact) === undefined);
  test.each(rows.map(({ document, written }) => [short(document), document, written]))("%s", (_, document, written) => {
    const ours = decodeSchedulerConfiguration(document).document;
    expect(differences(byName(byDefault?.written), byName(ours))).toEqual(written);
  });
});

describe("what upstream accepts and this scheduler refuses:", () => {
  test.each(unsupported)("%s", (part, sentence) => {
    const rows = facts.filter((fact) => fact.written !== undefined && JSON.stringify(fact.document).includes(part));
    expect(rows.map(({ document }) => complaintOf(document))).toEqual([expect.stringContaining(sentence)]);
  });

  test("default constraints that refuse nodes", () => {
    const constraint = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
    const args = { defaultingType: "List", defaultConstraints: [constraint] };
    const profiles = [{ pluginConfig: [{ name: "PodTopologySpread", args }] }];
    expect(complaintOf({ ...byDefault?.document, profiles })).toContain("default constraints with DoNotSchedule");
  });

  test("an order of its own for one of two points", () => {
    const profiles = [{ plugins: { filter: { enabled: [{ name: "NodePorts" }] } } }];
    expect(complaintOf({ ...byDefault?.document, profiles })).toContain("in one order at preFilter and in another");
  });
});

test("a document that is none is refused", () => {
  expect(complaintOf("text")).toBe("the configuration must be an object");
});

test("times and profiles are those of the document", () => {
  const { leaderElection, profiles, podInitialBackoffMs } = decodeSchedulerConfiguration({
    ...byDefault?.document,
    podInitialBackoffSeconds: 3,
    percentageOfNodesToScore: 30,
    leaderElection: { leaseDuration: "1m30s", renewDeadline: "20s", retryPeriod: "500ms" },
    profiles: [{ schedulerName: "a" }, { schedulerName: "b", percentageOfNodesToScore: 70 }],
  });
  expect(leaderElection).toMatchObject({ leaseDurationMs: 90_000, renewDeadlineMs: 20_000, retryPeriodMs: 500 });
  expect(profiles.map((each) => [each.schedulerName, each.percentageOfNodesToScore])).toEqual([
    ["a", 30],
    ["b", 70],
  ]);
  expect(podInitialBackoffMs).toBe(3000);
  const none = { ...byDefault?.document, leaderElection: { leaderElect: false } };
  expect(decodeSchedulerConfiguration(none).leaderElection).toBeUndefined();
});

/** With `pluginConfig` by name, because upstream's order is by chance. */
function byName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byName);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "pluginConfig"
        ? Object.fromEntries((each as { name: string; args?: unknown }[]).map(({ name, args }) => [name, byName(args)]))
        : byName(each),
    ]),
  );
}

function differences(before: unknown, after: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === 1 && after.length === 1 ? [differences(before[0], after[0])] : after;
  }
  const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  if (!isRecord(before) || !isRecord(after)) return after;
  const changed: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(sorted(before[key])) === JSON.stringify(sorted(after[key]))) continue;
    if (after[key] === undefined) changed[key] = null;
    else changed[key] = key in before ? differences(before[key], after[key]) : after[key];
  }
  return changed;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
