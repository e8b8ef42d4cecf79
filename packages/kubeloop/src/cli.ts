#!/usr/bin/env node
// The `kubeloop` executable: hands arguments and streams to `runCommand`, and its answer to the shell.
import { outliveReaders } from "./closed-pipes.ts";
import { runCommand } from "./command.ts";

// The first signal asks to stop in order; whoever sends a second one will not wait.
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort(new Error(name));
  });
}

outliveReaders(process, stop);

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  signal: stop.signal,
  terminal: process.stdout.isTTY && process.env["TERM"] !== "dumb" ? process.stdout : undefined,
});
