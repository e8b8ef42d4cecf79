// Writes the pods of the informer bench to a real kube-apiserver: first all of them with their statuses, then updates of the statuses. In protobuf, so
// that the server's share of the machine is small.
import { loadProtobuf } from "@kubeloop/core/api";
import { type Dispatcher, Pool } from "undici";
import { printPod } from "./raw-floor-pods.ts";

const writers = 24;
const contentType = "application/vnd.kubernetes.protobuf";
const identity = { kind: "Pod", apiVersion: "v1" } as const;

export interface RealPods extends AsyncDisposable {
  readonly namespaces: readonly string[];
  /** All pods with their statuses, two writes each. */
  create(): Promise<void>;
  /** So many updates, one pod after the other, each with another status. */
  update(count: number): Promise<void>;
}

export interface RealPodsAccess {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
}

/** What the server is sent of a pod; it gives uid, version and managedFields itself. */
export function podToWrite(index: number, restartCount: number): WrittenPod {
  const { metadata, spec, status } = JSON.parse(printPod(index)) as PrintedPod;
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, managedFields: _fields, ...own } = metadata;
  const containerStatuses = status.containerStatuses.map((container) => ({ ...container, restartCount }));
  return { ...identity, metadata: own, spec, status: { ...status, containerStatuses } };
}

interface PrintedPod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly [field: string]: unknown };
  readonly spec: object;
  readonly status: { readonly containerStatuses: readonly object[]; readonly [field: string]: unknown };
}

export interface WrittenPod {
  readonly kind: "Pod";
  readonly apiVersion: "v1";
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
  readonly status: object;
}

export async function openRealPods(podCount: number, { server, caPem, token }: RealPodsAccess): Promise<RealPods> {
  const protobuf = await loadProtobuf();
  const pool = new Pool(server, { connect: { ca: caPem }, connections: writers });
  const write = async (method: Dispatcher.HttpMethod, path: string, pod: WrittenPod) => {
    const { statusCode, body } = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, "content-type": contentType, accept: contentType },
      body: protobuf.wrapRaw(identity, protobuf.encodeRaw(pod)),
    });
    const answer = await body.arrayBuffer();
    if (statusCode >= 300)
      throw new Error(`${method} ${path}: ${statusCode} ${Buffer.from(answer).toString("latin1")}`);
  };
  const writeStatus = (pod: WrittenPod) => {
    const { name, namespace } = pod.metadata;
    return write("PUT", `/api/v1/namespaces/${namespace}/pods/${name}/status`, pod);
  };
  return {
    namespaces: [...new Set(Array.from({ length: podCount }, (_, index) => podToWrite(index, 0).metadata.namespace))],
    async create() {
      await inParallel(podCount, async (index) => {
        const pod = podToWrite(index, 0);
        await write("POST", `/api/v1/namespaces/${pod.metadata.namespace}/pods`, pod);
        await writeStatus(pod);
      });
    },
    async update(count) {
      await inParallel(count, (at) => writeStatus(podToWrite(at % podCount, 1 + Math.floor(at / podCount))));
    },
    async [Symbol.asyncDispose]() {
      await pool.close();
    },
  };
}

async function inParallel(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const actOnNext = async () => {
    for (let index = next++; index < count; index = next++) await act(index);
  };
  await Promise.all(Array.from({ length: writers }, actOnNext));
}
