// Runs the command kube-scheduler, which is told to stop at once, and keeps what it writes.
import { newSchedulerCommand } from "./command.ts";

export async function execute(...args: readonly string[]) {
  const written = { stdout: "", stderr: "" };
  const exitCode = await newSchedulerCommand().execute(args, {
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    stopSignal: () => AbortSignal.abort(),
  });
  return { exitCode, ...written };
}
