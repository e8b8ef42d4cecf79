// What people do with kubectl on the pods of hollow nodes: here with the real kubectl, over a socket and in real time.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiServer } from "@kubeloop/apiserver";
import type { corev1 } from "@kubeloop/core/api";
import { deferred, isAborted, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { namespaces, pods } from "@kubeloop/core/resources";
import { findBinaries, pathOf } from "@kubeloop/real-cluster";
import { describe, expect, test } from "vitest";
import { HollowNodes } from "./hollow-nodes.ts";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
type Kubectl = (args: readonly string[], input?: string) => Promise<Ran>;

/** Pods by name; all of them run on one hollow node. */
const podSpecs: Readonly<Record<string, Partial<corev1.PodSpec>>> = {
  web: { containers: [{ name: "c", image: "shop/web:v1", env: [{ name: "COLOUR", value: "blue" }] }] },
  two: {
    containers: [
      { name: "a", image: "shop/web:v1" },
      { name: "b", image: "shop/web:v1" },
    ],
  },
  slow: { restartPolicy: "Never", containers: [shell("echo one; sleep 3; echo two; sleep 4; echo three")] },
  crash: { restartPolicy: "Always", containers: [shell("echo attempt; sleep 2; exit 1")] },
  done: { restartPolicy: "Never", containers: [shell("echo one; echo two; echo three")] },
  stuck: { containers: [{ name: "c", image: "web:nonexistent" }] },
};

function shell(script: string): corev1.Container {
  return { name: "c", image: "busybox", command: ["sh", "-c", script] };
}

/** Runs kubectl on a server with one hollow node and these pods, which have all begun. */
async function withKubectl(names: readonly string[], work: (kubectl: Kubectl) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const program = pathOf(await findBinaries(["kubectl"], {}, signal), "kubectl");
  const folder = await mkdtemp(join(tmpdir(), "kubeloop-nodes-"));
  const late: { hollow?: HollowNodes } = {};
  await using server = await ApiServer.open({
    nodeConnector: { answer: async (...request) => await late.hollow?.connector.answer(...request) },
  });
  await using listening = await server.listen({});
  const client = clientOf(server.transport);
  const metadata = { name: "kube-node-lease" };
  await client
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata }, signal)
    .catch(() => undefined);
  const hollow = new HollowNodes({
    client,
    nodes: [{ name: "node-1", internalIPs: ["192.168.0.1"] }],
    podCidrsOf: () => ["10.244.1.0/24"],
    timings: { sandboxMs: 10, pullMs: 10, startMs: 10, stopMs: 100 },
  });
  late.hollow = hollow;
  await using scope = new TaskScope(signal);
  scope.spawn(async (each) => {
    try {
      await hollow.run(each);
    } catch (error) {
      if (!isAborted(error, each)) throw error;
    }
  });
  const inDefault = client.resource(pods).in("default");
  for (const name of names) {
    const annotations = { "kubeloop.dev/exec": "$ redis-cli ping\nPONG\n" };
    const spec = { nodeName: "node-1", terminationGracePeriodSeconds: 1, containers: [], ...podSpecs[name] };
    const pod: corev1.Pod = { apiVersion: "v1", kind: "Pod", metadata: { name, annotations }, spec };
    await inDefault.create(pod, signal);
    const hasBegun = async () => {
      const { containerStatuses = [] } = (await inDefault.get(name, signal)).status ?? {};
      return containerStatuses.some(({ state }) => state?.waiting?.reason !== "ContainerCreating");
    };
    await expect.poll(hasBegun, { timeout: 30_000 }).toBe(true);
  }
  const authority = join(folder, "ca.pem");
  await writeFile(authority, listening.admin.caPem ?? "");
  const flags = [
    `--server=https://127.0.0.1:${listening.port}`,
    `--certificate-authority=${authority}`,
    `--token=${listening.admin.token}`,
  ];
  try {
    await work((args, input = "") => run(program, [...flags, ...args], input));
  } finally {
    stop.abort(new Error("the test is over"));
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(program: string, args: readonly string[], input: string): Promise<Ran> {
  const env = { ...process.env, KUBECONFIG: "/dev/null" };
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const read = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    read.stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    read.stderr += chunk.toString();
  });
  child.stdin.end(input);
  const ended = deferred<number | null>();
  child.on("close", (code) => ended.resolve(code));
  return { code: await ended.promise, ...read };
}

describe("kubectl exec", () => {
  for (const [what, pod, args, input, expected] of [
    ["prints", "web", ["--", "sh", "-c", "echo $COLOUR"], "", { code: 0, stdout: "blue\n", stderr: "" }],
    ["reads its input", "web", ["-i", "--", "cat"], "one\ntwo\n", { code: 0, stdout: "one\ntwo\n" }],
    [
      "ends with the exit code",
      "web",
      ["--", "sh", "-c", "exit 3"],
      "",
      { code: 3, stderr: "command terminated with exit code 3\n" },
    ],
    [
      "prints errors apart",
      "web",
      ["--", "cat", "/none"],
      "",
      { code: 1, stdout: "", stderr: expect.stringContaining("can't open '/none'") },
    ],
    ["answers what is scripted", "web", ["--", "redis-cli", "ping"], "", { code: 0, stdout: "PONG\n" }],
    [
      "says that a program is not there",
      "web",
      ["--", "curl"],
      "",
      { code: 1, stderr: expect.stringContaining('exec: "curl": executable file not found in $PATH') },
    ],
    ["chooses a container", "two", ["-c", "b", "--", "hostname"], "", { code: 0, stdout: "two\n" }],
    [
      "says that a container is not there",
      "two",
      ["-c", "x", "--", "hostname"],
      "",
      { code: 1, stderr: expect.stringContaining("container x is not valid for pod two") },
    ],
    [
      "says that a container does not run",
      "stuck",
      ["--", "hostname"],
      "",
      { code: 1, stderr: expect.stringContaining('container not found ("c")') },
    ],
  ] as const) {
    test(what, () =>
      withKubectl([pod], async (kubectl) => {
        expect(await kubectl(["exec", pod, ...args], input)).toMatchObject(expected);
      }),
    );
  }
});

describe("kubectl attach", () => {
  test("shows what is printed from now on, and ends with the container", () =>
    withKubectl(["slow"], async (kubectl) => {
      // On a busy machine "now" may be late.
      const stdout = expect.stringMatching(/^(two\n)?three\n$/);
      expect(await kubectl(["attach", "slow"])).toMatchObject({ code: 0, stdout });
    }));
});

describe("kubectl port-forward", () => {
  test("says in a sentence why not", () =>
    withKubectl(["web"], async (kubectl) => {
      const { code, stderr } = await kubectl(["port-forward", "web", ":80"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("hollow nodes have no network to forward to")]);
    }));
});

describe("kubectl logs", () => {
  for (const [what, pod, args, expected] of [
    ["prints all", "done", [], { code: 0, stdout: "one\ntwo\nthree\n" }],
    ["prints the last lines", "done", ["--tail=2"], { code: 0, stdout: "two\nthree\n" }],
    ["prints the last time", "done", ["--since=1h"], { code: 0, stdout: "one\ntwo\nthree\n" }],
    ["follows to the end", "slow", ["-f"], { code: 0, stdout: "one\ntwo\nthree\n" }],
    [
      "says why there is none",
      "stuck",
      [],
      { code: 1, stderr: expect.stringMatching(/container "c" in pod "stuck" is waiting to start: /) },
    ],
    [
      "says that there was none before",
      "done",
      ["--previous"],
      { code: 1, stderr: expect.stringContaining('previous terminated container "c" in pod "done" not found') },
    ],
  ] as const) {
    test(what, () =>
      withKubectl([pod], async (kubectl) => {
        expect(await kubectl(["logs", pod, ...args])).toMatchObject(expected);
      }),
    );
  }

  test("prints the attempt before", () =>
    withKubectl(["crash"], async (kubectl) => {
      const restarts = "jsonpath={.status.containerStatuses[0].restartCount}";
      const count = async () => Number((await kubectl(["get", "pod", "crash", "-o", restarts])).stdout);
      await expect.poll(count, { timeout: 30_000 }).toBeGreaterThan(0);
      expect(await kubectl(["logs", "crash", "--previous"])).toMatchObject({ code: 0, stdout: "attempt\n" });
    }));
});
