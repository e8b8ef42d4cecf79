import { ApiServer } from "@kubeloop/apiserver";
import { bytesResponse, queryValue, type Transport } from "@kubeloop/core/api";
import { FakeClock, noLog } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { configMaps } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { untilObject } from "./until-object.ts";

const place = { resource: configMaps, namespace: "default", name: "settings" };

/** A server whose watches last so long; `reads` are the times of lists, in milliseconds. */
async function open(watchMs: number) {
  const clock = new FakeClock();
  const server = await ApiServer.open({ clock, log: noLog });
  const begunMs = clock.monotonic();
  const reads: number[] = [];
  const transport: Transport = async (request, signal) => {
    if (queryValue(request.query, "watch") === undefined) {
      reads.push(clock.monotonic() - begunMs);
      return await server.transport(request, signal);
    }
    if (watchMs > 0) await clock.sleep(watchMs, signal);
    return bytesResponse(200, new Uint8Array(), { "content-type": "application/json" });
  };
  const client = clientOf(transport, { clock, log: noLog });
  return { clock, server, reads, client };
}

test.each([
  ["that end at once are opened later and later", 0, [0, 100, 300, 700, 1500, 3100, 6300, 12_700, 22_700, 32_700]],
  ["that last are opened again soon", 30_000, [0, 30_100]],
])("watches %s", async (_, watchMs, expected) => {
  const { clock, server, reads, client } = await open(watchMs);
  const stop = new AbortController();
  const waiting = untilObject({ client, clock }, place, (object) => object !== undefined, stop.signal);
  await clock.advance(40_000);
  expect(reads).toEqual(expected);
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } } as const;
  await clientOf(server.transport).resource(configMaps).in("default").create(map, stop.signal);
  expect((await clock.drive(waiting))?.metadata.name).toBe("settings");
  await server[Symbol.asyncDispose]();
});
