// `npm run lock`: completes the lock files after an install, so that `npm ci` works on every platform.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completeLock, type LockFile, missingFromLock } from "./lock-file.ts";
import { listFiles, repositoryRoot } from "./repository.ts";

for (const file of listFiles("package-lock.json")) {
  const path = join(repositoryRoot, file);
  const lock = JSON.parse(readFileSync(path, "utf8")) as LockFile;
  console.log(`${missingFromLock(lock).length} platform packages added to ${file}`);
  writeFileSync(path, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
}
