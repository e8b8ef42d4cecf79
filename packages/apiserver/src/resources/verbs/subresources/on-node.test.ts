// Requests that only a pod's node can answer, when the node cannot be reached.
import { describe, expect, test } from "vitest";
import { ApiServer } from "../../../api-server.ts";
import { ask } from "../../../ask.fixture.ts";
import type { NodeConnector } from "../../registry/node-connector.ts";

const connectors: readonly (readonly [string, NodeConnector | undefined])[] = [
  ["without nodes", undefined],
  ["when nobody answers for the node", { answer: async () => undefined }],
];

describe.each(connectors)("%s", (_how, nodeConnector) => {
  for (const [what, node, path, code, message] of [
    ["the log of a pod on a node that is not there", undefined, "log", 404, 'pods "n" not found'],
    [
      "the log of a pod",
      "10.0.0.1",
      "log",
      500,
      'Get "https://10.0.0.1:10250/containerLogs/default/p/c": dial tcp 10.0.0.1:10250: connect: connection refused',
    ],
    ["exec", "10.0.0.1", "exec", 500, "error dialing backend: dial tcp 10.0.0.1:10250: connect: connection refused"],
  ] as const) {
    test(what, async () => {
      await using server = await ApiServer.open(nodeConnector === undefined ? {} : { nodeConnector });
      if (node !== undefined) {
        const daemonEndpoints = { kubeletEndpoint: { Port: 10250 } };
        const status = { addresses: [{ type: "InternalIP", address: node }], daemonEndpoints };
        await ask(server, "/api/v1/nodes", { method: "POST", value: { metadata: { name: "n" }, status } });
      }
      const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
      const pods = "/api/v1/namespaces/default/pods";
      await ask(server, pods, { method: "POST", value: { metadata: { name: "p" }, spec } });
      const { code: answered, object } = await ask<{ readonly message: string }>(server, `${pods}/p/${path}`);
      expect([answered, object.message]).toEqual([code, message]);
    });
  }
});
