// The official JavaScript client against the embedded server, over sockets.
import { ApiServer } from "@kubeloop/apiserver";
import { defineClientNodeSuite } from "./client-node-suite.contract.ts";

defineClientNodeSuite("@kubernetes/client-node with the embedded server", async () => {
  const server = await ApiServer.open();
  const { url, admin } = await server.listen();
  return {
    url,
    caPem: admin.caPem ?? "",
    token: admin.token,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
