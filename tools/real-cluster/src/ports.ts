// A port of 127.0.0.1 that is free right now. Someone may take it before it is used: whoever asks must be ready to ask
// again. Ports lie below the range the operating system hands out by itself, so that a stopped server finds its port
// again when it restarts and no outgoing connection has borrowed it meanwhile.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

const lowest = 21_000;
const highest = 29_999;

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
