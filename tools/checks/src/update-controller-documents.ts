// `npm run controller-documents`: writes them anew.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { controllerDocuments } from "./controller-documents.ts";
import { repositoryRoot } from "./repository.ts";

for (const { path, text } of await controllerDocuments()) {
  const file = join(repositoryRoot, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
