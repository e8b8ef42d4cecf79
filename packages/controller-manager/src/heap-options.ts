// Sets V8's heap for a manager beside an API server. Whoever sets one of these options on the command line has the last word on it.
//
// The old generation grows by half of what is alive before it is collected. V8 would let it grow up to fourfold, because collecting seldom is
// fast; the memory of a manager is dearer than that: 100 Deployments that are rolled took 240 MB, and take 150, for the same processor time.
//
// The young generation grows to its full 16 MB at once. V8 would double it step by step from 1 MB; in the minutes after a start, when most of a
// manager's work comes, the many small collections copied what was about to die.
import { setFlagsFromString } from "node:v8";

const options = { "--heap-growing-percent": 50, "--semi-space-growth-factor": 16 };

export function setHeapOptions(given = givenOptions(), set: (option: string) => void = setFlagsFromString): void {
  const isGiven = (name: string) => given.some((each) => each.replaceAll("_", "-").startsWith(name));
  for (const [name, value] of Object.entries(options)) if (!isGiven(name)) set(`${name}=${value}`);
}

/** On the command line of Node, and in NODE_OPTIONS. */
function givenOptions(): readonly string[] {
  return [...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(" ")];
}
