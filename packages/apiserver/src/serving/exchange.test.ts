import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { bytesResponse } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { writeResponse } from "./exchange.ts";

/** What a client gets of these bytes. */
async function fetched(bytes: Uint8Array, mayCompress: boolean) {
  const server = createServer((_incoming, outgoing) => {
    const response = bytesResponse(200, bytes, { "content-type": "application/json" });
    void writeResponse(response, outgoing, { isHead: false, mayCompress });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      request({ port, host: "127.0.0.1" }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () =>
          resolve({ encoding: incoming.headers["content-encoding"], body: Buffer.concat(chunks) }),
        );
      })
        .on("error", reject)
        .end();
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const large = Buffer.from("all work and no play ".repeat(20_000));

test("a large answer is sent as gzip to who takes it", async () => {
  const { encoding, body } = await fetched(large, true);
  expect(encoding).toBe("gzip");
  expect(body.length).toBeLessThan(large.length / 10);
  expect(gunzipSync(body).equals(large)).toBe(true);
});

test("a small one as it is, and a large one to who does not", async () => {
  const small = large.subarray(0, 100_000);
  for (const [bytes, mayCompress] of [
    [small, true],
    [large, false],
  ] as const) {
    const { encoding, body } = await fetched(bytes, mayCompress);
    expect(encoding).toBeUndefined();
    expect(body.equals(bytes)).toBe(true);
  }
});
