// Where things are in this repository, for the checks that look at all of it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, from the sources as from the build. */
export const repositoryRoot: string = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

export const packageNames = [
  "core",
  "apiserver",
  "controllers",
  "controller-manager",
  "scheduler",
  "nodes",
  "kubeloop",
] as const;
export type PackageName = (typeof packageNames)[number];

/** A file of the repository: its path from the root, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every file with this ending that git tracks or would track. */
export function listFiles(...endings: readonly string[]): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repositoryRoot,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = [...new Set(listed.split("\n"))];
  return paths.filter((path) => endings.some((ending) => path.endsWith(ending))).sort();
}

/** The files as they are in the work tree; those deleted but not yet committed are left out. */
export function readFiles(paths: readonly string[]): readonly SourceFile[] {
  return paths.flatMap((path) => {
    try {
      return [{ path, text: readFileSync(join(repositoryRoot, path), "utf8") }];
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  });
}
