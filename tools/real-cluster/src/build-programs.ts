// Builds the programs that the suites against a real cluster and the conformance suite need, unless they are there, saying what it does: for `.ci/run`, which counts their
// first build to no step. Where Go is missing it says so and succeeds; what follows decides whether it can do without.
import { BinariesMissingError, findBinaries } from "./binaries.ts";
import { clusterPrograms, conformancePrograms, foreignClients } from "./programs.ts";

const say = (sentence: string) => console.log(`real cluster: ${sentence}`);
const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));

for (const programs of [clusterPrograms, foreignClients, conformancePrograms]) {
  try {
    await findBinaries(programs, { mayBuild: true, say }, interrupted.signal);
  } catch (error) {
    if (!(error instanceof BinariesMissingError) || error.hasGo) throw error;
    say(error.message);
  }
}
