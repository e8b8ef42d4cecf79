// Which of the test files that need a real cluster to run: those of a suite, and, where the clients that only Go can build are missing, those
// without them.
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

const roots = ["packages", "tools", "examples"];
const passedOver = new Set(["node_modules", "dist"]);

/** Paths below `root` whose tests need a real cluster. */
export async function findTestFiles(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !passedOver.has(entry.name)) await look(path);
      else if (entry.isFile() && entry.name.endsWith(".kubernetes.test.ts")) found.push(relative(root, path));
    }
  };
  for (const name of roots) await look(join(root, name));
  return found.sort();
}

/** `differential` compares the embedded server with a real one, and our manager and scheduler with upstream's; `cluster` is all the rest. */
export const suites = ["cluster", "differential"] as const;
export type Suite = (typeof suites)[number];

const comparisons =
  /^packages\/(?:apiserver\/src\/integration\/|(?:controller-manager|scheduler)\/src\/integration\/differential\.)/;

export function filesOfSuite(suite: Suite, files: readonly string[]): readonly string[] {
  return files.filter((file) => comparisons.test(file) === (suite === "differential"));
}

/** Takes `--suite NAME` off the front of the arguments. Throws if there is no such suite. */
export function takeSuite(args: readonly string[]): {
  readonly suite: Suite | undefined;
  readonly rest: readonly string[];
} {
  if (args[0] !== "--suite") return { suite: undefined, rest: args };
  const suite = suites.find((each) => each === args[1]);
  if (suite === undefined)
    throw new Error(`--suite must be one of ${suites.join(", ")}, not ${JSON.stringify(args[1])}`);
  return { suite, rest: args.slice(2) };
}

/** vitest's arguments without the suites that need Go. Words before the first option choose files, as they do for vitest. */
export function withoutGo(args: readonly string[], files: readonly string[]): readonly string[] {
  const firstOption = args.findIndex((arg) => arg.startsWith("-"));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  const chosen = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const left = chosen.filter((file) => !file.endsWith(".go.kubernetes.test.ts"));
  // With nothing to choose vitest would run everything: a path that is nobody's chooses nothing.
  return [...(left.length === 0 ? ["no-such-file"] : left), ...args.slice(words.length)];
}
