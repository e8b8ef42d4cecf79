#!/usr/bin/env node
// The `kubeloop` executable: hands arguments and streams to `runCommand`, and its answer to the shell.
import { runCommand } from "./command.ts";

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
