#!/usr/bin/env node
// The `kubeloop` executable: hands arguments and streams to `runCommand`, and its answer to the shell.
import { runCommand } from "./command.ts";

// A reader that has seen enough (`| head`) is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
