import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, systemClock } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openKeptState, reservedAtOnce } from "./kept-state.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-state-"));
  path = join(folder, "state.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are made by the time of the system, so the clocks here stand near it. */
const clockAt = (offsetMs: number) => new FakeClock({ wallMs: systemClock.now() + offsetMs });
const open = (offsetMs = 0) => openKeptState(path, clockAt(offsetMs));

/** A run that reserves what a server would at its start. */
async function run(offsetMs = 0) {
  const state = await open(offsetMs);
  return { ...state, end: state.reserve(state.firstRevision) };
}

test("what is kept is its owner's alone, and nothing else is left behind", async () => {
  await run();
  await chmod(path, 0o644);
  await run();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["state.json"]);
});

test("the next run has the same authority and token, and nothing to complain of", async () => {
  const first = await run();
  const second = await run();
  expect([second.token, second.authority.pair, first.complaint, second.complaint]).toEqual([
    first.token,
    first.authority.pair,
    undefined,
    undefined,
  ]);
});

describe("the versions of a run lie above all that were reserved before", () => {
  for (const [when, offsetMs] of [
    ["at once", 0],
    ["a year later", 300 * dayMs],
    ["with the clock set back", -10 * 60_000],
  ] as const) {
    test(when, async () => {
      const first = await run();
      const reserved = first.reserve(first.end + 5_000_000);
      expect(reserved).toBe(first.end + 5_000_000 + reservedAtOnce);
      expect((await run(offsetMs)).firstRevision).toBeGreaterThanOrEqual(reserved);
    });
  }

  test("even if the file was lost, as long as the clock goes on", async () => {
    const first = await run();
    await rm(path);
    expect((await run(dayMs)).firstRevision).toBeGreaterThan(first.end);
  });

  test("and another run's reservation is never taken back, nor its authority", async () => {
    const first = await run();
    await rm(path);
    const second = await run();
    const far = second.reserve(second.end + 1_000_000);
    expect(first.reserve(first.end)).toBeGreaterThanOrEqual(far);
    expect((await run()).token).toBe(second.token);
  });
});

describe("of two that start at once", () => {
  for (const [where, prepare] of [
    ["in a new folder", async () => {}],
    ["where something broken is kept", async () => writeFile(path, "broken")],
  ] as const) {
    test(`one ends with a sentence, ${where}`, async () => {
      await prepare();
      const [first, second] = await Promise.all([open(), open()]);
      first.reserve(first.firstRevision);
      expect(() => second.reserve(second.firstRevision)).toThrow("one runs in a folder at a time");
      expect((await run()).token).toBe(first.token);
    });
  }
});

describe("what is kept is replaced, with one sentence,", () => {
  const newOnes = "; a new authority and token were made, so clients need the new kubeconfig";
  for (const [when, prepare, offsetMs, why] of [
    ["when the authority has expired", async () => {}, 366 * dayMs, "the certificate authority expired on "],
    ["when it is about to", async () => {}, 364.5 * dayMs, "the certificate authority expires on "],
    ["when it is not valid yet", async () => {}, -dayMs, "the certificate authority is not valid before "],
    ["when the file is cut short", async () => cut(100), 0, "it is not what `up` writes there"],
    ["when the file is empty", async () => cut(0), 0, "it is not what `up` writes there"],
    ["when a part is missing", async () => change({ token: "" }), 0, "it is not what `up` writes there"],
    ["when a version is none", async () => change({ nextRevision: 1e300 }), 0, "it is not what `up` writes there"],
    ["when the key is another's", otherKey, 0, "the certificate authority cannot be used: its key belongs to another"],
    ["when a link is in its place", linked, 0, "it is a link, which is not followed"],
  ] as const) {
    test(when, async () => {
      const first = await run();
      await prepare();
      const next = await run(offsetMs);
      expect(next.complaint).toContain(`${path}: ${why}`);
      expect(next.complaint?.endsWith(newOnes)).toBe(true);
      expect(next.token).not.toBe(first.token);
      expect(next.authority.pair.certPem).not.toBe(first.authority.pair.certPem);
      expect((await lstat(path)).isFile()).toBe(true);
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ token: next.token });
    });
  }

  test("but versions go on above the last ones where they can still be read", async () => {
    const first = await run();
    const far = first.reserve(systemClock.now() * 2);
    expect((await run(366 * dayMs)).firstRevision).toBe(far);
  });

  async function cut(length: number): Promise<void> {
    await writeFile(path, (await readFile(path, "utf8")).slice(0, length));
  }

  async function change(parts: object): Promise<void> {
    await writeFile(path, JSON.stringify({ ...(JSON.parse(await readFile(path, "utf8")) as object), ...parts }));
  }

  async function otherKey(): Promise<void> {
    const { authority } = JSON.parse(await readFile(path, "utf8")) as { authority: object };
    await rm(path);
    const other = await run();
    await change({ authority: { ...authority, keyPem: other.authority.pair.keyPem } });
  }

  async function linked(): Promise<void> {
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, await readFile(path, "utf8"));
    await rm(path);
    await symlink(elsewhere, path);
  }
});
