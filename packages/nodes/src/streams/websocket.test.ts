import { expect, test } from "vitest";
import { WebSocket } from "./websocket.ts";
import { clientFrame } from "./websocket-client.fixture.ts";

const { signal } = new AbortController();
const binary = 2;
const continuation = 0;

const payload = Buffer.alloc(60 * 1024);
const begin = clientFrame(binary, payload, false);
const goOn = clientFrame(continuation, payload, false);
const end = clientFrame(continuation, payload);

/** Fragments of 60 KiB. */
async function sendIn(count: number, { connection }: WebSocket): Promise<void> {
  for (let i = 1; i <= count; i++) await connection.send(i === 1 ? begin : i === count ? end : goOn, signal);
}

test("each message may be of 16 MiB, whatever came before", async () => {
  const socket = new WebSocket();
  for (let message = 0; message < 2; message++) {
    await sendIn(273, socket);
    expect((await socket.read(signal))?.length).toBe(273 * payload.length);
  }
  await expect(sendIn(274, socket)).rejects.toThrow("too large");
});
