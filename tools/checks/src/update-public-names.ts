// `npm run public-names`: writes the record of public names anew, for review.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { printRecord, recordPath } from "./public-names.ts";
import { repositoryRoot } from "./repository.ts";

writeFileSync(join(repositoryRoot, recordPath), printRecord());
