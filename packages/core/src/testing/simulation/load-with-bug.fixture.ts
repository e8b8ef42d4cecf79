// Loads the simulation over a copy of the source with a bug in it. The copy exists in memory only: each file is changed on its
// way from the disk to the machine.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createViteServer } from "vitest/node";
import { type PlantedBug, plant } from "./planted-bugs.fixture.ts";
import type { SimulationResult } from "./simulate.fixture.ts";

const sourceFolder = join(import.meta.dirname, "../..");

export interface BuggySimulation extends AsyncDisposable {
  simulate(seed: number): Promise<SimulationResult>;
}

export async function loadWithBug({ name, file, edits }: PlantedBug): Promise<BuggySimulation> {
  const target = join(sourceFolder, file);
  const text = plant(name, await readFile(target, "utf8"), edits);
  const server = await createViteServer({
    root: sourceFolder,
    configFile: false,
    logLevel: "error",
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    oxc: { target: "es2022" },
    plugins: [{ name: "planted-bug", enforce: "pre", load: (id) => (id === target ? text : null) }],
  });
  const loaded = await server.ssrLoadModule("/testing/simulation/simulate.fixture.ts");
  const { simulate } = loaded as { readonly simulate: BuggySimulation["simulate"] };
  return { simulate: (seed) => simulate(seed), [Symbol.asyncDispose]: () => server.close() };
}
