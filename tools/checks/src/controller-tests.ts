// Which of Kubernetes' own tests of its controllers ours answer to. `tools/checks/data/controller-tests.json` names the tests of upstream's
// package and integration package of each written controller; `packages/controllers/upstream-tests/<controller>.json` says which tests of ours
// show the same behaviour, or why one is left out: only Go internals, behaviour of another component, or what 1.36 no longer has.
//
// Promise: every name has a row, at least four fifths of them are shown, and after a run every test that a row names has run and passed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles, repositoryRoot } from "./repository.ts";
import type { OurTest } from "./upstream-tests.ts";

export interface ControllerTestRow {
  /** "TestName", or a path and the name. */
  readonly upstream: string;
  readonly ours?: readonly OurTest[];
  readonly leftOut?: string;
}

export type RowsByController = Readonly<Record<string, readonly ControllerTestRow[]>>;
export type NamesByController = Readonly<Record<string, readonly string[]>>;

const rowsPattern = /^packages\/controllers\/upstream-tests\/([^/]+)\.json$/;

export function readControllerTestNames(): NamesByController {
  return JSON.parse(readFileSync(join(repositoryRoot, "tools/checks/data/controller-tests.json"), "utf8"));
}

export function readControllerTestRows(): RowsByController {
  const files = listFiles(".json").flatMap((path) => {
    const [, controller] = rowsPattern.exec(path) ?? [];
    return controller === undefined ? [] : [[controller, path] as const];
  });
  return Object.fromEntries(
    files.map(([controller, path]) => [controller, JSON.parse(readFileSync(join(repositoryRoot, path), "utf8"))]),
  );
}

/** What is wrong with the rows: names without one, rows that say nothing, too many left out, controllers without any. */
export function findControllerRowFaults(
  names: NamesByController,
  rows: RowsByController,
  controllers: readonly string[],
): readonly string[] {
  const unlisted = controllers.filter(
    (controller) => rows[controller] === undefined || names[controller] === undefined,
  );
  return [
    ...unlisted.map((controller) => `${controller} has no table of upstream's tests`),
    ...Object.entries(rows).flatMap(([controller, list]) => {
      const answered = new Set(list.map(nameOf));
      const missing = (names[controller] ?? []).filter((name) => !answered.has(name));
      const { shown, total } = shareOf(list);
      return [
        ...missing.map((name) => `${controller}: ${name} has no row`),
        ...list
          .filter(saysNothing)
          .map((row) => `${controller}: ${nameOf(row)} has neither a test of ours nor a reason`),
        // Of three tests one may belong to somebody else.
        ...(total > 3 && shown * 5 < total * 4 ? [`${controller}: only ${shown} of ${total} are shown`] : []),
      ];
    }),
  ];
}

/** "replicaset 36 of 45, ttl 4 of 4": for people. */
export function printShares(rows: RowsByController): string {
  const shares = Object.entries(rows).map(([controller, list]) => {
    const { shown, total } = shareOf(list);
    return `${controller} ${shown} of ${total}`;
  });
  return shares.join(", ");
}

const nameOf = ({ upstream }: ControllerTestRow) => upstream.split(" ").at(-1) ?? "";

const saysNothing = ({ ours = [], leftOut = "" }: ControllerTestRow) => (ours.length === 0) === (leftOut === "");

const shareOf = (list: readonly ControllerTestRow[]) => ({
  shown: list.filter(({ ours = [] }) => ours.length > 0).length,
  total: list.length,
});
