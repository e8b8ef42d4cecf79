// `node tools/checks/dist/print-counts.js RUN…`: the counts of these runs, then their sum alone on the last line.
import { printCounts } from "./test-counts.ts";

printCounts(process.argv.slice(2));
