// Which cases of a suite no target of a kind runs: printed, and held to the numbers in tools/checks/data/not-run-cases.json, which may only
// fall. A case runs if one target of its kind runs it, be it over another version of HTTP or on a server set up differently.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ClientCase, ClientTarget } from "./client-suite.contract.ts";

/** What the three kinds of targets are called in the file. */
export type TargetKind = "real" | "embedded, over sockets" | "embedded, in process";

export type Cases = Readonly<Record<string, readonly ClientCase[]>>;

export interface RunParts {
  /** Those that this target runs, as far as it can. */
  readonly parts: readonly string[];
  /** Those that another test file runs on it, and holds to the numbers there. */
  readonly elsewhere?: readonly string[];
}

interface Noted extends RunParts {
  readonly target: ClientTarget;
}

const recordedFile = new URL("../../../../../tools/checks/data/not-run-cases.json", import.meta.url);

export class NotRun {
  readonly #suite: string;
  readonly #cases: Cases;
  readonly #noted = new Map<TargetKind, Noted[]>();

  constructor(suite: string, cases: Cases) {
    this.#suite = suite;
    this.#cases = cases;
  }

  /** To be called while tests are defined: once they run, all targets of the file are known. */
  note(target: ClientTarget, run: RunParts): void {
    const kind = kindOf(target);
    const noted = this.#noted.get(kind);
    if (noted !== undefined) {
      noted.push({ target, ...run });
      return;
    }
    this.#noted.set(kind, [{ target, ...run }]);
    test(`as many cases of the ${this.#suite} suite as recorded, and no more, are not run: ${kind}`, () => {
      const recorded = JSON.parse(readFileSync(recordedFile, "utf8")) as Readonly<Record<string, Counts>>;
      this.#hold(kind, recorded[kind] ?? {});
    });
  }

  #hold(kind: TargetKind, recorded: Counts): void {
    const targets = this.#noted.get(kind) ?? [];
    const parts = Object.keys(this.#cases).filter(
      (part) => !targets.some(({ elsewhere }) => elsewhere?.includes(part)),
    );
    const lines = parts.map(
      (part) => [`${this.#suite}/${part}`, notRunOf(part, this.#cases[part] ?? [], targets)] as const,
    );
    const count = lines.reduce((sum, [, names]) => sum + names.length, 0);
    const all = parts.reduce((sum, part) => sum + (this.#cases[part]?.length ?? 0), 0);
    console.log(
      [
        `${kind}: ${count} of ${all} cases of the ${this.#suite} suite not run`,
        ...lines.flatMap(([part, names]) => names.map((name) => `  ${part}: ${name}`)),
      ].join("\n"),
    );
    const found = Object.fromEntries(lines.map(([part, names]) => [part, names.length]));
    const expected = Object.fromEntries(lines.map(([part]) => [part, recorded[part] ?? 0]));
    expect(found, `${kind}: these numbers may only fall, and when they do, not-run-cases.json says so`).toEqual(
      expected,
    );
  }
}

type Counts = Readonly<Record<string, number>>;

/** The names of cases that no target runs, with what is missing. */
export function notRunOf(part: string, cases: readonly ClientCase[], targets: readonly Noted[]): readonly string[] {
  const running = targets.filter(({ parts }) => parts.includes(part)).map(({ target }) => target.capabilities);
  return cases.flatMap(({ name, needs = [] }) => {
    if (running.some((able) => needs.every((need) => able.includes(need)))) return [];
    if (running.length === 0) return [`${name} (left out)`];
    const missing = needs.filter((need) => !running.some((able) => able.includes(need)));
    return [`${name} (needs ${missing.length > 0 ? missing.join(", ") : `${needs.join(", ")} at once`})`];
  });
}

function kindOf({ name, capabilities }: ClientTarget): TargetKind {
  if (!name.startsWith("embedded")) return "real";
  return capabilities.includes("sockets") ? "embedded, over sockets" : "embedded, in process";
}
