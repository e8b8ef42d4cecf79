// What foreign clients are held against: this server on a port, and a real one, with the same face. Clients go through a gate; the test
// itself, which is one more client, does not.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cleanup } from "@kubeloop/core/base";
import { RealCluster, sendRequest } from "@kubeloop/real-cluster";
import { ApiServer } from "../../api-server.ts";
import { withoutAdmission } from "../without-admission.contract.ts";
import { Gate } from "./gate.contract.ts";
import { type Access, writeKubeconfig } from "./kubeconfig.contract.ts";

export interface ClientTarget extends AsyncDisposable {
  readonly gate: Gate;
  /** Leads through the gate. */
  readonly kubeconfigPath: string;
  /** The answer's body. An answer that is no success throws. */
  send(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  /** Whoever comes back with a version from before this gets 410. */
  forgetHistory(): Promise<void>;
}

export const targets: Readonly<Record<"real" | "embedded", () => Promise<ClientTarget>>> = {
  async real() {
    await using cleanup = new Cleanup();
    const cluster = cleanup.use(await RealCluster.start({ extraFlags: withoutAdmission }));
    const access = { url: cluster.url, caPem: cluster.caPem, token: cluster.adminToken };
    // Its watch cache remembers the last events until it is started anew.
    const forgetHistory = async () => {
      await cluster.compact();
      await cluster.restart();
    };
    return await openTarget(access, forgetHistory, cleanup);
  },
  async embedded() {
    await using cleanup = new Cleanup();
    const server = cleanup.use(await ApiServer.open());
    const { url, admin } = await server.listen();
    const access = { url, caPem: admin.caPem ?? "", token: admin.token };
    return await openTarget(access, () => server.compact(), cleanup);
  },
};

async function openTarget(access: Access, forgetHistory: () => Promise<void>, cleanup: Cleanup): Promise<ClientTarget> {
  const folder = await mkdtemp(join(tmpdir(), "kubeloop-clients-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const gate = cleanup.use(await Gate.open(Number(new URL(access.url).port)));
  const kubeconfigPath = await writeKubeconfig(join(folder, "kubeconfig"), { ...access, url: gate.url });
  const owned = cleanup.move();
  return {
    gate,
    kubeconfigPath,
    forgetHistory,
    async send(method, path, body) {
      const patchType = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
      const headers = { authorization: `Bearer ${access.token}`, ...patchType };
      const wanted = { url: `${access.url}${path}`, method, headers, caPem: access.caPem };
      const signal = new AbortController().signal;
      const answer = await sendRequest(body === undefined ? wanted : { ...wanted, body }, signal);
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
      return JSON.parse(answer.body);
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}
