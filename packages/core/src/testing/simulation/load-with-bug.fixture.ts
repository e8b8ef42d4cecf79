// Loads the simulation with a copy of the source that has a bug. The copy exists only in memory: the file with the bug is changed while it is
// loaded.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createViteServer } from "vitest/node";
import { type PlantedBug, plant } from "./planted-bugs.fixture.ts";
import type { SimulationResult } from "./simulate.fixture.ts";

const sourceFolder = join(import.meta.dirname, "../..");
const repository = join(sourceFolder, "../../..");
const ownEntry = join(import.meta.dirname, "simulate.fixture.ts");

export interface BuggySimulation extends AsyncDisposable {
  simulate(seed: number): Promise<SimulationResult>;
}

/** `entry` is the file that exports `simulate`: the simulation on the fake server unless given. */
export async function loadWithBug(
  { name, file, edits }: PlantedBug,
  entry: string = ownEntry,
): Promise<BuggySimulation> {
  const target = join(sourceFolder, file);
  const text = plant(name, await readFile(target, "utf8"), edits);
  const server = await createViteServer({
    root: repository,
    configFile: join(repository, "vitest.config.ts"),
    logLevel: "error",
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    oxc: { target: "es2022" },
    plugins: [{ name: "planted-bug", enforce: "pre", load: (id) => (id === target ? text : null) }],
  });
  const loaded = await server.ssrLoadModule(entry);
  const { simulate } = loaded as { readonly simulate: BuggySimulation["simulate"] };
  return { simulate: (seed) => simulate(seed), [Symbol.asyncDispose]: () => server.close() };
}
