// `npm run lock`: completes the lock file after an install, so that `npm ci` works on every platform.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completeLock, type LockFile, missingFromLock } from "./lock-file.ts";
import { repositoryRoot } from "./repository.ts";

const path = join(repositoryRoot, "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8")) as LockFile;
console.log(`${missingFromLock(lock).length} platform packages added to package-lock.json`);
writeFileSync(path, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
