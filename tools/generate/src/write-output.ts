// Generated files against the disk: comparing, and replacing a folder's generated files by new ones. A file
// that carries our header but is no longer generated counts as a difference and is removed; other files are not ours.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { compareText } from "./openapi.ts";
import { header, type OutputFiles } from "./output.ts";

/** The paths, relative to `folder`, that are missing, different or left over. `read` prepares what is on disk for comparing. */
export async function differingFiles(
  folder: string,
  files: OutputFiles,
  read: (text: string) => string = (text) => text,
): Promise<readonly string[]> {
  const found = await filesBelow(folder);
  const texts = await Promise.all(found.map((path) => readFile(join(folder, path), "utf8")));
  const onDisk = new Map(found.map((path, i) => [path, read(texts[i] ?? "")]));
  const ours = found.filter((path) => onDisk.get(path)?.startsWith(header));
  const paths = new Set([...files.keys(), ...ours]);
  return [...paths].filter((path) => files.get(path) !== onDisk.get(path)).sort(compareText);
}

/** Writes only what differs, so that builds and watchers stay quiet; returns the paths it touched. */
export async function writeOutput(folder: string, files: OutputFiles): Promise<readonly string[]> {
  const differing = await differingFiles(folder, files);
  for (const path of differing) {
    const text = files.get(path);
    if (text === undefined) {
      await rm(join(folder, path));
    } else {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }
  return differing;
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "/").length))
    .map((path) => path.replaceAll("\\", "/"))
    .sort(compareText);
}
