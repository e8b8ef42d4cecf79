// Runs a command as the process: signals end it in order, a second one ends the process at once, and its answer is the exit code.
import type { ControllerManagerCommand } from "./app/index.ts";

const stopSignal = ({ isGraceful }: { readonly isGraceful: boolean }): AbortSignal => {
  const stop = new AbortController();
  // Without the feature gate a signal ends the process at once, as upstream's does.
  if (!isGraceful) return stop.signal;
  let isToldTwice = false;
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (isToldTwice) process.exit(1);
      isToldTwice = true;
      stop.abort(new Error(`received ${name}`));
    });
  }
  return stop.signal;
};

export async function runAsProcess(command: ControllerManagerCommand): Promise<never> {
  const exitCode = await command.execute(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    stopSignal,
  });
  // What is still at work has had its time: a controller that did not end when it was told to must not go on beside another leader. First
  // what was printed goes out, which a pipe may take its time for.
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write("", () => resolve()));
  }
  process.exit(exitCode);
}
