import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect, createServer as createHttp2Server, type Http2ServerResponse } from "node:http2";
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

/** What a response does whose HTTP/2 stream the client closed before the body came. */
const lateBodies = {
  "in one piece": () => bytesResponse(200, large),
  "in pieces": () => ({
    ...bytesResponse(200, large),
    body: {
      kind: "bytes" as const,
      bytes: (async function* () {
        yield large;
        yield large;
      })(),
    },
  }),
};

for (const [name, makeResponse] of Object.entries(lateBodies)) {
  test(`a body ${name} for an HTTP/2 stream that is closed already is written to nobody, and the write ends`, async () => {
    const server = createHttp2Server();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      const stream = client.request({ ":path": "/" });
      stream.on("error", () => {});
      const [, outgoing] = (await once(server, "request")) as [unknown, Http2ServerResponse];
      outgoing.on("error", () => {});
      const closed = once(outgoing, "close");
      stream.close(8);
      await closed;
      await writeResponse(makeResponse(), outgoing, { isHead: false, mayCompress: false });
    } finally {
      client.destroy();
      server.close();
    }
  });
}
