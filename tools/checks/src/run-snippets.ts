// `node run-snippets.js FILE…`: imports these modules, one after the other, as plain Node would, and prints for each a line of JSON with
// what it printed and what it threw. A program of its own, because test runners compile what they import, and what is to be seen is whether
// Node itself takes it.
import { pathToFileURL } from "node:url";

export interface SnippetRun {
  readonly file: string;
  readonly printed: readonly string[];
  /** Undefined if it ran to its end. */
  readonly error: string | undefined;
}

async function runSnippet(file: string): Promise<SnippetRun> {
  const printed: string[] = [];
  const log = console.log;
  console.log = (...values: readonly unknown[]) => {
    printed.push(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" "));
  };
  try {
    await import(pathToFileURL(file).href);
    return { file, printed, error: undefined };
  } catch (error) {
    return { file, printed, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    console.log = log;
  }
}

for (const file of process.argv.slice(2)) process.stdout.write(`${JSON.stringify(await runSnippet(file))}\n`);
