// What becomes of a command when nobody reads its output any more, which is no failure of ours. A reader of standard output that has seen enough (`| head`)
// ends the command in order. Without a reader of standard error only complaints are lost, and the command goes on.
import type { Writable } from "node:stream";

/** Other errors of the two streams are thrown, as if nobody listened. */
export function outliveReaders(
  { stdout, stderr }: { readonly stdout: Pick<Writable, "on">; readonly stderr: Pick<Writable, "on"> },
  stop: Pick<AbortController, "abort">,
): void {
  stdout.on("error", (error) => {
    if (!isClosedPipe(error)) throw error;
    stop.abort(new Error("nobody reads what is printed"));
  });
  stderr.on("error", (error) => {
    if (!isClosedPipe(error)) throw error;
  });
}

const isClosedPipe = (error: Error) => (error as NodeJS.ErrnoException).code === "EPIPE";
