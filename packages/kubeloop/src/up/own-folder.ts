// The folder `.kubeloop`: its owner's alone (0700), because it holds keys, and kept out of git by a file of its own.
import { chmod, lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, fileFault } from "./start-faults.ts";

/** Makes it if it is not there. Throws a UsageError if that cannot be done. */
export async function openOwnFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // One that was there may be open to others. What a link leads to is not ours to change.
    if ((await lstat(path)).isDirectory()) await chmod(path, 0o700);
    await writeUnlessThere(join(path, ".gitignore"), "*\n");
  } catch (error) {
    throw fileFault(error, "write", path);
  }
}

async function writeUnlessThere(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
