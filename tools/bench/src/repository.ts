// Where the repository is, from the sources as from the build.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot: string = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
