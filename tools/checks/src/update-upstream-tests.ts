// `npm run upstream-tests`: writes the table of client-go's tests and ours anew.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";
import { printUpstreamTable, readUpstreamNames, readUpstreamRows, upstreamTablePath } from "./upstream-tests.ts";

writeFileSync(join(repositoryRoot, upstreamTablePath), printUpstreamTable(readUpstreamNames(), readUpstreamRows()));
