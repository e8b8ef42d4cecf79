// The difference of two texts, line by line, as a unified diff without file names. Which lines are taken to be the same follows the
// well-known "longest run first" rule, with lines that are everywhere left out of the search, so that the result is the one users
// of the API see.
//
// Costs at worst the product of the lengths: `maxLines` bounds it.

const context = 3;
/** From this many lines on, a line that makes up more than a hundredth of them says nothing about where it belongs. */
const manyLines = 200;
/** Longer texts are not compared: the answer is empty. */
export const maxLines = 4000;

interface Run {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

interface Bounds {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

interface Change extends Bounds {
  readonly isSame: boolean;
}

export function unifiedDiff(before: string, after: string): string {
  const a = before.split("\n");
  const b = after.split("\n");
  if (a.length + b.length > maxLines) return "";
  return groupChanges(changesBetween(a, b))
    .map((group) => printGroup(group, a, b))
    .join("");
}

function changesBetween(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let aAt = 0;
  let bAt = 0;
  for (const run of [...commonRuns(a, b), { a: a.length, b: b.length, length: 0 }]) {
    if (aAt < run.a || bAt < run.b) {
      changes.push({ isSame: false, aFrom: aAt, aTo: run.a, bFrom: bAt, bTo: run.b });
    }
    aAt = run.a + run.length;
    bAt = run.b + run.length;
    if (run.length > 0) changes.push({ isSame: true, aFrom: run.a, aTo: aAt, bFrom: run.b, bTo: bAt });
  }
  return changes;
}

/** In order, none touching the next. */
function commonRuns(a: readonly string[], b: readonly string[]): Run[] {
  const fldPaths = placesOf(b);
  const runs: Run[] = [];
  const search = (bounds: Bounds): void => {
    const run = longestRun(a, b, bounds, fldPaths);
    if (run.length === 0) return;
    if (bounds.aFrom < run.a && bounds.bFrom < run.b) search({ ...bounds, aTo: run.a, bTo: run.b });
    const last = runs.at(-1);
    if (last !== undefined && last.a + last.length === run.a && last.b + last.length === run.b) {
      runs[runs.length - 1] = { ...last, length: last.length + run.length };
    } else {
      runs.push(run);
    }
    const [aFrom, bFrom] = [run.a + run.length, run.b + run.length];
    if (aFrom < bounds.aTo && bFrom < bounds.bTo) search({ ...bounds, aFrom, bFrom });
  };
  search({ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length });
  return runs;
}

/** Where each line stands, without the lines that are everywhere. */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const fldPaths = new Map<string, number[]>();
  for (const [i, line] of lines.entries()) {
    const known = fldPaths.get(line);
    if (known === undefined) fldPaths.set(line, [i]);
    else known.push(i);
  }
  if (lines.length < manyLines) return fldPaths;
  const most = Math.floor(lines.length / 100) + 1;
  for (const [line, at] of fldPaths) if (at.length > most) fldPaths.delete(line);
  return fldPaths;
}

function longestRun(
  a: readonly string[],
  b: readonly string[],
  { aFrom, aTo, bFrom, bTo }: Bounds,
  fldPaths: ReadonlyMap<string, readonly number[]>,
): Run {
  let best: Run = { a: aFrom, b: bFrom, length: 0 };
  let lengths = new Map<number, number>();
  for (let i = aFrom; i < aTo; i++) {
    const next = new Map<number, number>();
    for (const j of fldPaths.get(a[i] ?? "") ?? []) {
      if (j < bFrom) continue;
      if (j >= bTo) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > best.length) best = { a: i - length + 1, b: j - length + 1, length };
    }
    lengths = next;
  }
  let { a: aStart, b: bStart } = best;
  let [aEnd, bEnd] = [aStart + best.length, bStart + best.length];
  // Lines that are everywhere do not begin a run, but they belong to one they touch.
  while (aStart > aFrom && bStart > bFrom && a[aStart - 1] === b[bStart - 1]) {
    aStart--;
    bStart--;
  }
  while (aEnd < aTo && bEnd < bTo && a[aEnd] === b[bEnd]) {
    aEnd++;
    bEnd++;
  }
  return { a: aStart, b: bStart, length: aEnd - aStart };
}

/** Changes with a few lines around them; what is far apart stands in groups of its own. */
function groupChanges(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const [i, change] of changes.entries()) {
    const isFirst = i === 0;
    const isLast = i === changes.length - 1;
    if (!change.isSame) {
      group.push(change);
    } else if (isFirst) {
      group.push(lastLines(change));
    } else if (isLast) {
      group.push(firstLines(change));
    } else if (change.aTo - change.aFrom > 2 * context) {
      groups.push([...group, firstLines(change)]);
      group = [lastLines(change)];
    } else {
      group.push(change);
    }
  }
  return group.some(({ isSame }) => !isSame) ? [...groups, group] : groups;
}

function firstLines(change: Change): Change {
  return {
    ...change,
    aTo: Math.min(change.aTo, change.aFrom + context),
    bTo: Math.min(change.bTo, change.bFrom + context),
  };
}

function lastLines(change: Change): Change {
  return {
    ...change,
    aFrom: Math.max(change.aFrom, change.aTo - context),
    bFrom: Math.max(change.bFrom, change.bTo - context),
  };
}

function printGroup(group: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return "";
  const head = `@@ -${printRange(first.aFrom, last.aTo)} +${printRange(first.bFrom, last.bTo)} @@\n`;
  const lines = group.flatMap(({ isSame, aFrom, aTo, bFrom, bTo }) => {
    if (isSame) return a.slice(aFrom, aTo).map((line) => ` ${line}\n`);
    return [...a.slice(aFrom, aTo).map((line) => `-${line}\n`), ...b.slice(bFrom, bTo).map((line) => `+${line}\n`)];
  });
  return head + lines.join("");
}

function printRange(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}
