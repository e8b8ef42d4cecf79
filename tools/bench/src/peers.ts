// The peers we compare with, installed from their own manifest into a cache folder that is named by the manifest's hash.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";

const manifestFolder = join(repositoryRoot, "tools/bench/peers");
const manifestFiles = ["package.json", "package-lock.json", ".npmrc"] as const;

/** The folder in which the peers can be imported; installs them the first time. */
export function installPeers(): string {
  const hash = createHash("sha256");
  for (const file of manifestFiles) hash.update(readFileSync(join(manifestFolder, file)));
  const folder = join(repositoryRoot, ".cache/bench-peers", hash.digest("hex").slice(0, 16));
  const marker = join(folder, "installed");
  if (existsSync(marker)) return folder;
  console.log("installing the peers to compare with (once)");
  mkdirSync(folder, { recursive: true });
  for (const file of manifestFiles) copyFileSync(join(manifestFolder, file), join(folder, file));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(marker, "");
  return folder;
}
