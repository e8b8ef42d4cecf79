// The little of etcd's API that the harness needs, over its JSON gateway on a Unix socket. Numbers of 64 bits are strings
// there, keys and values base64.
import { RealClusterError } from "./errors.ts";
import { sendRequest } from "./http-request.ts";

/** Where kube-apiserver's compactor, and every watch cache, looks up how far history has been forgotten. */
const compactRevisionKey = "compact_rev_key";
/** A key of the harness's own, outside of Kubernetes' /registry. */
const ownKey = "kubeloop_real_cluster";

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

export async function isEtcdHealthy(socketPath: string, signal: AbortSignal): Promise<boolean> {
  const answer = await sendRequest({ url: "http://etcd/health", socketPath }, signal);
  return answer.status === 200;
}

/**
 * Forgets every change up to now, as kube-apiserver does every five minutes with what is older than that. The revision is
 * also written where API servers look for it, so that they drop their cached snapshots too. Returns that revision.
 */
export async function compactEtcd(socketPath: string, signal: AbortSignal): Promise<string> {
  const put = (key: string, value: string) =>
    call(socketPath, "/v3/kv/put", { key: toBase64(key), value: toBase64(value) }, signal);
  // etcd keeps the change that made the compacted revision; let that one be ours, so that all of Kubernetes' are gone.
  const revision = revisionOf(await put(ownKey, "compacted"));
  await put(compactRevisionKey, revision);
  await call(socketPath, "/v3/kv/compaction", { revision, physical: true }, signal);
  return revision;
}

async function call(socketPath: string, path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
  const answer = await sendRequest({ url: `http://etcd${path}`, method: "POST", body, socketPath }, signal);
  if (answer.status === 200) return JSON.parse(answer.body);
  throw new RealClusterError(`etcd refused ${path}: ${answer.status} ${answer.body}`, { reason: "EtcdRefused" });
}

/** The store's revision at the time of an answer, out of the answer's header. */
function revisionOf(answer: unknown): string {
  if (typeof answer === "object" && answer !== null && "header" in answer) {
    const { header } = answer;
    if (typeof header === "object" && header !== null && "revision" in header && typeof header.revision === "string") {
      return header.revision;
    }
  }
  throw new RealClusterError("etcd's answer has no revision", { reason: "EtcdRefused" });
}
