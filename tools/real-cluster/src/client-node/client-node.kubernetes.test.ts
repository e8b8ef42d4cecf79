// The same against a real server: what the suite expects is not our own idea.
import { RealCluster } from "../real-cluster.ts";
import { defineClientNodeSuite } from "./client-node-suite.contract.ts";

defineClientNodeSuite("@kubernetes/client-node with a real server", async () => {
  // Without a controller manager no namespace has the service account that pods would be given.
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  const cluster = await RealCluster.start({ extraFlags });
  return {
    url: cluster.url,
    caPem: cluster.caPem,
    token: cluster.adminToken,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
});
