import { ApiServer } from "@kubeloop/apiserver";
import { deferred, FakeClock } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { leases, nodes } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { BareNodes } from "./bare-nodes.ts";

test("bare nodes are ready, have room, and renew their leases", async () => {
  await using server = await ApiServer.open();
  const isRenewed = deferred();
  const client = clientOf(async (request, signal) => {
    const response = await server.transport(request, signal);
    if (request.method === "PATCH" && request.path.endsWith("/leases/b")) isRenewed.resolve();
    return response;
  });
  const clock = new FakeClock();
  const stop = new AbortController();
  const bare = new BareNodes(client, ["a", "b"], clock);
  await bare.create(stop.signal);
  const { status } = await client.resource(nodes).get("b", stop.signal);
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
  expect(status?.allocatable).toMatchObject({ pods: expect.any(String) });

  const lease = () => client.resource(leases).in("kube-node-lease").get("b", stop.signal);
  const first = await lease();
  const running = bare.run(stop.signal);
  await clock.advance(10_000);
  await isRenewed.promise;
  expect((await lease()).spec?.renewTime).not.toBe(first.spec?.renewTime);
  stop.abort();
  await expect(running).rejects.toBe(stop.signal.reason);
});
