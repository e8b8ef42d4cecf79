// The last step of a build: tells Node that what lies in dist/cjs is CommonJS, whatever the package itself is.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageNames, repositoryRoot } from "./repository.ts";

for (const name of packageNames) {
  const folder = join(repositoryRoot, "packages", name, "dist/cjs");
  if (existsSync(folder)) writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
}
