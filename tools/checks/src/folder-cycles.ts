// Folders side by side must not import each other in a circle: then neither can be read, tested or moved without the other. A circle may lead
// over files that stand beside the folders, and tests do not count: they may stand on everything.
import type { SourceFile } from "./repository.ts";
import { importsOf } from "./source-text.ts";

interface Import {
  readonly from: string;
  readonly to: string;
  /** `path:line: imports "…"`. */
  readonly where: string;
}

/** One complaint for each import that closes a circle of folders below `root`, on whatever level; with the circle it closes. */
export function folderCycles(files: readonly SourceFile[], root: string): string[] {
  const byFolder = new Map<string, Import[]>();
  for (const file of files) {
    if (!file.path.startsWith(`${root}/`) || /\.(?:test|contract|fixture)\.ts$/.test(file.path)) continue;
    for (const { specifier, line } of importsOf(file.text)) {
      if (!specifier.startsWith(".")) continue;
      const where = `${file.path}:${line}: imports "${specifier}"`;
      const crossing = crossingOf(file.path, resolvePath(file.path, specifier), root);
      if (crossing === undefined) continue;
      const { parent, from, to } = crossing;
      byFolder.set(parent, [...(byFolder.get(parent) ?? []), { from, to, where }]);
    }
  }
  return [...byFolder].flatMap(([parent, imports]) => circlesAmong(parent, imports));
}

/** Where two paths part: the folder they share, and what in it each is in. */
function crossingOf(path: string, target: string, root: string) {
  if (!target.startsWith(`${root}/`)) return undefined;
  const [a, b] = [path.split("/"), target.split("/")];
  const at = a.findIndex((part, i) => part !== b[i]);
  const [from, to] = [a[at], b[at]];
  if (from === undefined || to === undefined) return undefined;
  return { parent: a.slice(0, at).join("/"), from, to };
}

function circlesAmong(parent: string, imports: readonly Import[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports) next.set(from, (next.get(from) ?? new Set()).add(to));
  return imports.flatMap(({ from, to, where }) => {
    // Between two files, or a folder and a file beside it, one idea may go back and forth.
    const way = shortestWay(next, to, from);
    if (way === undefined || new Set([from, ...way].filter(isFolder)).size < 2) return [];
    return [`${where}, and folders of ${parent} form a cycle: ${[from, ...way].join(" → ")}`];
  });
}

const isFolder = (name: string) => !name.endsWith(".ts");

/** From `start` to `goal`, both included. */
function shortestWay(next: ReadonlyMap<string, ReadonlySet<string>>, start: string, goal: string) {
  const ways: (readonly [string, ...string[]])[] = [[start]];
  const seen = new Set([start]);
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way.at(-1) ?? start;
    if (last === goal) return way;
    for (const each of next.get(last) ?? []) {
      if (!seen.has(each)) ways.push([...way, each]);
      seen.add(each);
    }
  }
  return undefined;
}

/** The path of what `relative` means in the file `from`. */
export function resolvePath(from: string, relative: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
