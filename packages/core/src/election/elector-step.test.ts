import { describe, expect, test } from "vitest";
import { defaultTimings } from "./election-timings.ts";
import {
  type Answer,
  type ElectorCommand,
  type ElectorContext,
  type ElectorInput,
  type ElectorState,
  initialState,
  type Stepped,
  step,
} from "./elector-step.ts";
import { type LeaseRecord, leaseTime, type SeenLease, seenLease, withRecord } from "./lease-record.ts";

const wallMs = Date.UTC(2030, 0, 1);
const at = (nowMs: number, chance = 0): ElectorContext => ({
  identity: "me",
  timings: defaultTimings,
  nowMs,
  wallMs: wallMs + nowMs,
  chance,
});

function lease(record: Partial<LeaseRecord>): SeenLease {
  const whole: LeaseRecord = {
    holder: "other",
    leaseDurationMs: 15_000,
    transitions: 3,
    acquireTime: leaseTime(wallMs),
    renewTime: leaseTime(wallMs),
    ...record,
  };
  return seenLease(withRecord({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "x" } }, whole));
}

const read = (answer: Answer): ElectorInput => ({ kind: "read", answer });
const found = (seen: SeenLease): ElectorInput => read({ kind: "lease", lease: seen });
const contending = (seen?: SeenLease, sinceMs = 0): ElectorState => ({
  at: "contending",
  observed: seen === undefined ? undefined : { lease: seen, sinceMs },
});
const leading = (changes: Partial<ElectorState & { at: "leading" }> = {}): ElectorState => ({
  at: "leading",
  observed: { lease: lease({ holder: "me", transitions: 4 }), sinceMs: 0 },
  renewedMs: 0,
  token: 4,
  work: "running",
  path: "fast",
  ...changes,
});

/** What is done next, in a few words. */
function words({ command }: Stepped): string {
  const of = (one: ElectorCommand): string => {
    switch (one.do) {
      case "write":
        return `${one.write.base === undefined ? "create" : "update"} ${one.write.record.holder}/${one.write.record.transitions}`;
      case "wait":
        return `wait ${one.delayMs}`;
      case "lead":
        return `lead with ${one.token}`;
      case "endWork":
        return `end the work, wait ${one.delayMs}`;
      case "end":
        return `end: ${one.why}`;
      default:
        return one.do;
    }
  };
  return of(command);
}

describe("a contender", () => {
  const held = lease({});
  test.each<[string, ElectorState, ElectorInput, number, string]>([
    ["reads the lease first", initialState, { kind: "due" }, 0, "read"],
    ["makes the lease where there is none", initialState, read({ kind: "absent" }), 0, "create me/0"],
    [
      "counts on where the lease it saw was deleted",
      contending(held, 1000),
      read({ kind: "absent" }),
      2000,
      "create me/4",
    ],
    [
      "takes a lease that nobody holds, and counts it as a change of hands",
      initialState,
      found(lease({ holder: "" })),
      0,
      "update me/4",
    ],
    [
      "waits when it first sees a lease that somebody holds, however old its times are",
      initialState,
      found(held),
      50_000,
      "wait 2000",
    ],
    [
      "waits while the lease has not been the same for as long as it lasts",
      contending(held, 1000),
      found(held),
      15_999,
      "wait 2000",
    ],
    [
      "takes a lease that has been the same for as long as it lasts",
      contending(held, 1000),
      found(held),
      16_000,
      "update me/4",
    ],
    [
      "counts anew when the lease was renewed",
      contending(held, 1000),
      found(lease({ renewTime: leaseTime(wallMs + 1) })),
      16_000,
      "wait 2000",
    ],
    [
      "goes by the duration in the lease, not its own",
      contending(lease({ leaseDurationMs: 60_000 })),
      found(lease({ leaseDurationMs: 60_000 })),
      20_000,
      "wait 2000",
    ],
    [
      "goes on as the holder it finds itself to be, without counting",
      initialState,
      found(lease({ holder: "me" })),
      0,
      "update me/3",
    ],
    ["waits when the lease cannot be read", contending(held, 0), read({ kind: "failed" }), 20_000, "wait 2000"],
    [
      "waits when another was quicker",
      contending(held, 0),
      { kind: "written", answer: { kind: "failed" }, sentMs: 0 },
      100,
      "wait 2000",
    ],
    [
      "leads once the lease is written",
      contending(held, 0),
      { kind: "written", answer: { kind: "lease", lease: lease({ holder: "me", transitions: 4 }) }, sentMs: 0 },
      100,
      "lead with 4",
    ],
    [
      "does not lead by an answer that came too late to count on",
      contending(held, 0),
      { kind: "written", answer: { kind: "lease", lease: lease({ holder: "me", transitions: 4 }) }, sentMs: 0 },
      10_000,
      "wait 2000",
    ],
    ["ends when it is told to", contending(held, 0), { kind: "stop" }, 0, "end: stopped"],
  ])("%s", (_, state, input, nowMs, expected) => {
    expect(words(step(state, input, at(nowMs)))).toBe(expected);
  });

  test("waits between once and 2.2 times the retry period", () => {
    const wait = (chance: number) => words(step(initialState, read({ kind: "failed" }), at(0, chance)));
    expect([wait(0), wait(0.5), wait(0.75)]).toEqual(["wait 2000", "wait 3200", "wait 3800"]);
  });

  test("is not kept waiting by somebody who touches the labels", () => {
    const first = step(initialState, found(held), at(1000)).state;
    const touched = seenLease({
      ...held.object,
      metadata: { ...held.object.metadata, resourceVersion: "99", labels: { a: "b" } },
    });
    expect(words(step(first, found(touched), at(16_000)))).toBe("update me/4");
  });

  test("remembers the count of a lease that was deleted, until it has made a new one", () => {
    const tried = step(contending(held, 1000), read({ kind: "absent" }), at(2000));
    const failed = step(tried.state, { kind: "written", answer: { kind: "failed" }, sentMs: 2000 }, at(2100));
    expect(words(step(failed.state, read({ kind: "absent" }), at(4100)))).toBe("create me/4");
  });
});

describe("a leader", () => {
  const renewed = lease({ holder: "me", transitions: 4, renewTime: leaseTime(wallMs + 5) });
  test.each<[string, ElectorState, ElectorInput, number, string]>([
    ["renews by what it remembers, without reading", leading(), { kind: "due" }, 2000, "update me/4"],
    [
      "waits for the retry period after a renewal",
      leading(),
      { kind: "written", answer: { kind: "lease", lease: renewed }, sentMs: 2000 },
      2500,
      "wait 2000",
    ],
    [
      "reads when a renewal fails",
      leading(),
      { kind: "written", answer: { kind: "failed" }, sentMs: 2000 },
      2500,
      "read",
    ],
    ["writes on top of what it read", leading({ path: "slow" }), found(renewed), 2600, "update me/4"],
    [
      "waits when that fails too",
      leading({ path: "slow" }),
      { kind: "written", answer: { kind: "failed" }, sentMs: 2600 },
      2700,
      "wait 2000",
    ],
    ["waits when it cannot read", leading({ path: "slow" }), read({ kind: "failed" }), 2700, "wait 2000"],
    ["waits no longer than its deadline", leading({ path: "slow" }), read({ kind: "failed" }), 9000, "wait 1000"],
    [
      "makes a deleted lease anew and counts on",
      leading({ path: "slow" }),
      read({ kind: "absent" }),
      2600,
      "create me/4",
    ],
    [
      "has lost when another holds the lease",
      leading({ path: "slow" }),
      found(lease({ transitions: 5 })),
      2600,
      "end: lost",
    ],
    [
      "has lost when nobody holds the lease",
      leading({ path: "slow" }),
      found(lease({ holder: "" })),
      2600,
      "end: lost",
    ],
    [
      "has lost when the deadline has passed since it sent its last renewal",
      leading(),
      { kind: "due" },
      10_000,
      "end: lost",
    ],
    [
      "has lost by an answer after the deadline, even a good one",
      leading(),
      { kind: "written", answer: { kind: "lease", lease: renewed }, sentMs: 9000 },
      10_000,
      "end: lost",
    ],
    ["has its work end when it is told to stop", leading(), { kind: "stop" }, 100, "end the work, wait 2000"],
    [
      "told to stop waits no longer than its deadline either",
      leading(),
      { kind: "stop" },
      9500,
      "end the work, wait 500",
    ],
    ["renews while its work ends", leading({ work: "ending" }), { kind: "due" }, 2000, "update me/4"],
    ["ends when the work it stopped has", leading({ work: "ending" }), { kind: "workEnded" }, 100, "end: stopped"],
    [
      "has stopped, whatever becomes of the lease while its work ends",
      leading({ work: "ending", path: "slow" }),
      found(lease({ transitions: 5 })),
      2600,
      "end: stopped",
    ],
    ["ends when its work has", leading(), { kind: "workEnded" }, 100, "end: finished"],
  ])("%s", (_, state, input, nowMs, expected) => {
    expect(words(step(state, input, at(nowMs)))).toBe(expected);
  });

  test("counts its deadline from when a renewal was sent, not from when it was answered", () => {
    const { state } = step(
      leading(),
      { kind: "written", answer: { kind: "lease", lease: renewed }, sentMs: 2000 },
      at(7000),
    );
    expect(words(step(state, { kind: "due" }, at(11_999)))).toBe("update me/4");
    expect(words(step(state, { kind: "due" }, at(12_000)))).toBe("end: lost");
  });

  test("keeps the time it acquired the lease, and writes six digits", () => {
    const { command } = step(leading(), { kind: "due" }, at(2000));
    expect(command.do === "write" && command.write.record).toMatchObject({
      acquireTime: "2030-01-01T00:00:00.000000Z",
      renewTime: "2030-01-01T00:00:02.000000Z",
    });
  });

  test("asks for no longer than it has, and never for more than half of the deadline", () => {
    expect(step(leading(), { kind: "due" }, at(2000)).command).toMatchObject({ do: "write", limitMs: 5000 });
    expect(step(initialState, { kind: "due" }, at(2000)).command).toMatchObject({ do: "read", limitMs: 5000 });
    expect(step(leading(), { kind: "due" }, at(7000)).command).toMatchObject({ do: "write", limitMs: 3000 });
    expect(step(leading(), { kind: "written", answer: { kind: "failed" }, sentMs: 0 }, at(7000))).toMatchObject({
      command: { do: "read", limitMs: 3000 },
      isSlowPath: true,
    });
  });
});

test("what has ended stays so", () => {
  const ended = step(initialState, { kind: "stop" }, at(0)).state;
  for (const input of [{ kind: "due" }, { kind: "workEnded" }, found(lease({ holder: "" }))] as const) {
    expect(words(step(ended, input, at(99_000)))).toBe("end: stopped");
  }
});
