// The public face: every name that each subpath of each package exports, recorded in one reviewed file,
// docs/public-names.md. A name appears or vanishes there first, in the change that means it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles, packageNames, repositoryRoot } from "./repository.ts";
import { blankOut } from "./source-text.ts";

export const recordPath = "docs/public-names.md";

export interface Subpath {
  /** As users import it: `@kubeloop/core/base`. */
  readonly specifier: string;
  /** Its source, from the repository's root. */
  readonly source: string;
}

/** All subpaths that the packages' `exports` name, patterns written out. */
export function listSubpaths(): readonly Subpath[] {
  return packageNames.flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(repositoryRoot, `packages/${name}/package.json`), "utf8")) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, string | { readonly default: { readonly default: string } }>>;
    };
    return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
      if (typeof target === "string") return [];
      const specifier = `${manifest.name}${subpath.slice(1)}`;
      const source = target.default.default
        .replace("./dist/bundle/esm/", `packages/${name}/src/`)
        .replace(/\.js$/, ".ts");
      return source.includes("*") ? expand(specifier, source) : [{ specifier, source }];
    });
  });
}

/** The names a source file exports; types are marked. */
export function exportedNames(text: string): readonly string[] {
  const code = blankOut(text);
  const names: string[] = [];
  for (const [, typeOnly, list] of code.matchAll(/\bexport\s+(type\s+)?\{([^}]*)\}/g)) {
    for (const entry of (list ?? "").split(",")) {
      const match = /^\s*(type\s+)?(?:[\w$]+\s+as\s+)?([\w$]+)\s*$/.exec(entry);
      if (match !== null) names.push(marked(match[2] ?? "", (typeOnly ?? match[1]) !== undefined));
    }
  }
  for (const [, name] of code.matchAll(/\bexport\s+type\s+\*\s+as\s+([\w$]+)/g)) names.push(marked(name ?? "", true));
  const declared =
    /\bexport\s+(?:abstract\s+)?(?:(interface|type)|async\s+function|function\*?|const|class)\s+([\w$]+)/g;
  for (const [, type, name] of code.matchAll(declared)) names.push(marked(name ?? "", type !== undefined));
  return [...new Set(names)].sort();
}

/** The record as it should be for the sources as they are. */
export function printRecord(subpaths: readonly Subpath[] = listSubpaths()): string {
  const sections = subpaths.map(({ specifier, source }) => {
    const names = exportedNames(readFileSync(join(repositoryRoot, source), "utf8"));
    return `## ${specifier}\n${names.map((name) => `${name}\n`).join("")}`;
  });
  return `# Public names\n\nWhat each subpath exports; \`type\` marks what exists at compile time only. Reviewed: change it with\n\`npm run public-names\` in the commit that means the change.\n\n${sections.join("\n")}`;
}

function marked(name: string, isType: boolean): string {
  return isType ? `type ${name}` : name;
}

function expand(specifier: string, source: string): readonly Subpath[] {
  const [before = "", after = ""] = source.split("*");
  return listFiles(".ts")
    .filter((path) => path.startsWith(before) && path.endsWith(after) && !path.endsWith(".test.ts"))
    .map((path) => ({
      specifier: specifier.replace("*", path.slice(before.length, path.length - after.length)),
      source: path,
    }));
}
