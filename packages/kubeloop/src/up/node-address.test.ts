import { once } from "node:events";
import { createServer, Socket } from "node:net";
import { FakeClock } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { addressTowards, plainAddress } from "./node-address.ts";

const { signal } = new AbortController();
const clock = new FakeClock();

test.each([
  ["10.0.0.7", "10.0.0.7"],
  ["::ffff:10.0.0.7", "10.0.0.7"],
  ["fd00::7", "fd00::7"],
  ["fe80::1%eth0", "127.0.0.1"],
  [undefined, "127.0.0.1"],
])("a socket's own address %s is %s to others", (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});

test("a server on loopback finds the nodes on loopback, and so does one that does not answer", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  expect(await addressTowards(`https://127.0.0.1:${port}`, { clock }, signal)).toBe("127.0.0.1");
  server.close();
  await once(server, "close");
  expect(await addressTowards(`https://127.0.0.1:${port}`, { clock }, signal)).toBe("127.0.0.1");
});

test("a server of which nothing is heard is not waited for longer than five seconds", async () => {
  const socket = new Socket();
  const address = addressTowards("https://192.0.2.1", { clock, open: () => socket }, signal);
  await clock.advance(4999);
  expect(socket.destroyed).toBe(false);
  await clock.advance(1);
  expect(socket.destroyed).toBe(true);
  expect(await address).toBe("127.0.0.1");
  expect(clock.pending()).toEqual([]);
});
