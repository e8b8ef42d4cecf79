// The second half of a build: joins what the compiler made of each package into one file for each entry point, with shared
// parts in chunks, as an ES module and as CommonJS. Importing sixty small modules costs three times the memory and five
// times the time of importing them as one; types stay as the compiler wrote them. Dynamic imports stay dynamic: what is lazy
// in the sources is lazy here.
//
// Beside each file of the ES modules lies a source map, so that stacks of `node --enable-source-maps` name our sources and their lines. They hold
// lines only and no sources: those would double what is installed. CommonJS has none: `require` loads the ES modules where Node can (module-sync),
// and only bundlers and other runtimes take the rest.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { type SourceMap, toLineMap } from "./line-map.ts";
import { listSubpaths } from "./public-names.ts";
import { packageNames, repositoryRoot } from "./repository.ts";

const subpaths = listSubpaths();

/** What the compiler wrote, with its map: so the bundle's map leads to the sources and not to what the compiler made of them. */
const compilersMaps = {
  name: "compilers-maps",
  load(id: string) {
    if (!existsSync(`${id}.map`)) return undefined;
    return { code: readFileSync(id, "utf8"), map: readFileSync(`${id}.map`, "utf8") };
  },
};

async function bundle(name: string): Promise<void> {
  const root = `packages/${name}/src/`;
  const sources = subpaths.map((subpath) => subpath.source).filter((source) => source.startsWith(root));
  // Executables are no subpaths, but they are entry points.
  const executables = ["cli", "scheduler-cli"].filter((entry) => existsSync(join(repositoryRoot, root, `${entry}.ts`)));
  sources.push(...executables.map((entry) => `${root}${entry}.ts`));
  const dist = join(repositoryRoot, "packages", name, "dist");
  const entries = sources.map((source) => source.slice(root.length).replace(/\.ts$/, ""));
  const isForeign = (id: string) => !id.startsWith(".") && !id.startsWith("/") && !/^[A-Za-z]:/.test(id);
  const open = (wanted: readonly string[]) =>
    rolldown({
      input: Object.fromEntries(wanted.map((entry) => [entry, join(dist, "esm", `${entry}.js`)])),
      platform: "node",
      external: (id) => builtinModules.includes(id) || isForeign(id),
      plugins: [compilersMaps],
    });
  const common = { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" } as const;
  rmSync(join(dist, "bundle"), { recursive: true, force: true });
  await using esm = await open(entries);
  await esm.write({ ...common, dir: join(dist, "bundle/esm"), format: "esm", sourcemap: true });
  // Executables are ES modules only: they await at the top level.
  await using cjs = await open(entries.filter((entry) => !executables.includes(entry)));
  await cjs.write({
    ...common,
    dir: join(dist, "bundle/cjs"),
    format: "cjs",
    exports: "named",
    dynamicImportInCjs: false,
  });
  slimMaps(join(dist, "bundle/esm"));
  for (const folder of ["bundle/cjs", "cjs"]) {
    mkdirSync(join(dist, folder), { recursive: true });
    writeFileSync(join(dist, folder, "package.json"), '{ "type": "commonjs" }\n');
  }
}

/** The sources are named by their place, `src/runtime/apply.ts`; their text is left out. */
function slimMaps(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!entry.endsWith(".js.map")) continue;
    const path = join(folder, entry);
    writeFileSync(path, JSON.stringify(toLineMap(JSON.parse(readFileSync(path, "utf8")) as SourceMap)));
  }
}

for (const name of packageNames) await bundle(name);
