import { noLog } from "@kubeloop/core/base";
import type { Host } from "@kubeloop/core/client";
import { describe, expect, test } from "vitest";
import { type ClusterFlags, findCluster } from "./find-cluster.ts";

const { signal } = new AbortController();

const kubeconfigAt = (server: string) =>
  JSON.stringify({
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: { token: `token of ${new URL(server).hostname}` } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });

const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const files: Readonly<Record<string, string>> = {
  "/given": kubeconfigAt("https://given:6443"),
  "/environment": kubeconfigAt("https://environment:6443"),
  "/home/me/.kube/config": kubeconfigAt("https://home:6443"),
};
const inPod = { [`${account}/token`]: "token of pod", [`${account}/namespace`]: "kube-system" };

/** A machine whose user has clusters of his own; in a pod or not. */
const hostOf = (isPod: boolean): Host => ({
  env: {
    KUBECONFIG: "/environment",
    ...(isPod ? { KUBERNETES_SERVICE_HOST: "pod", KUBERNETES_SERVICE_PORT: "443" } : {}),
  },
  homedir: () => "/home/me",
  cwd: () => "/",
  async readFile(path) {
    const text = { ...files, ...(isPod ? inPod : {}) }[path];
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
    return text;
  },
  replaceFile: () => Promise.reject(new Error("read only")),
  isStdinTerminal: () => false,
  spawn: () => Promise.reject(new Error("no commands")),
});

async function find(flags: Partial<ClusterFlags>, isPod: boolean) {
  const warnings: string[] = [];
  const log = { ...noLog, warn: (message: string) => warnings.push(message) };
  const options = { log, host: hostOf(isPod) };
  const { server, credentials } = await findCluster({ kubeconfig: "", master: "", ...flags }, options, signal);
  const { headers } = await credentials.current(signal);
  return {
    server,
    authorization: headers["authorization"],
    isWarned: warnings.some((text) => text.includes("inClusterConfig")),
  };
}

describe("the cluster is", () => {
  test.each<[string, Partial<ClusterFlags>, boolean, object]>([
    [
      "that of --kubeconfig",
      { kubeconfig: "/given" },
      true,
      { server: "https://given:6443", authorization: "Bearer token of given", isWarned: false },
    ],
    [
      "that of --kubeconfig at the address of --master",
      { kubeconfig: "/given", master: "https://master:6443" },
      true,
      { server: "https://master:6443", authorization: "Bearer token of given", isWarned: false },
    ],
    [
      "that at --master, for nobody",
      { master: "http://master:8080" },
      true,
      { server: "http://master:8080", authorization: undefined, isWarned: false },
    ],
    ["the pod's", {}, true, { server: "https://pod", authorization: "Bearer token of pod", isWarned: true }],
  ])("%s", async (_name, flags, isPod, expected) => expect(await find(flags, isPod)).toEqual(expected));
});

test.each<[string, Partial<ClusterFlags>, string]>([
  ["neither flags nor a pod", {}, "invalid configuration: not in a cluster: KUBERNETES_SERVICE_HOST"],
  ["a file that is not there", { kubeconfig: "/none" }, "invalid configuration: "],
])("%s: an error that says so", async (_name, flags, message) => {
  await expect(find(flags, false)).rejects.toThrow(message);
});
