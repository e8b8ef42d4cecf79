// For tests: folders with small shell scripts in the place of real programs.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ScriptFolder extends AsyncDisposable {
  readonly path: string;
  /** Writes an executable shell script and returns its path. */
  add(name: string, script: string): Promise<string>;
}

export async function openScriptFolder(): Promise<ScriptFolder> {
  const path = await mkdtemp(join(tmpdir(), "kubeloop-scripts-"));
  return {
    path,
    add: async (name, script) => {
      await writeFile(join(path, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
      return join(path, name);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
