// `node tools/checks/dist/print-ci-share.js STEP SECONDS`: for `.ci/run`, which knows how long a step took.
import { isCiStep, shareLines, shareMinutes } from "./ci-shares.ts";

const [step = "", seconds = ""] = process.argv.slice(2);
if (!isCiStep(step)) {
  console.error(`no step is called "${step}"; there are ${Object.keys(shareMinutes).join(", ")}`);
  process.exit(1);
}
for (const line of shareLines(step, Number(seconds))) console.log(line);
