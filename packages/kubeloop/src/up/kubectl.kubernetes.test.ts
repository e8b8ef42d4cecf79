// What the README says that people can do with kubectl and `kubeloop up`: here with the real kubectl.
import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deferred, systemClock } from "@kubeloop/core/base";
import { findBinaries, pathOf } from "@kubeloop/real-cluster";
import { expect, test } from "vitest";
import { up } from "./up.ts";
import { parseUpOptions } from "./up-options.ts";

const run = promisify(execFile);
const { signal } = new AbortController();

/** Runs kubectl on a cluster of `kubeloop up`, while `work` does. */
async function withKubectl(work: (kubectl: (command: string) => Promise<string>) => Promise<void>): Promise<void> {
  const program = pathOf(await findBinaries(["kubectl"], {}, signal), "kubectl");
  const folder = await mkdtemp(join(tmpdir(), "kubeloop-up-"));
  const stop = new AbortController();
  const ready = deferred();
  const options = parseUpOptions(["--json", "--port=0"]);
  const io = { folder, clock: systemClock, host: new EventEmitter(), print: () => ready.resolve(), complain: () => {} };
  const ended = up(options, io, stop.signal);
  try {
    await Promise.race([ready.promise, ended]);
    const env = { ...process.env, KUBECONFIG: join(folder, ".kubeloop/kubeconfig") };
    await work(async (command) => (await run(program, command.split(" "), { env })).stdout);
  } finally {
    stop.abort();
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

test("a deployment gets its pods, another size and another template, and takes all of it with it", async () => {
  await withKubectl(async (kubectl) => {
    const pods = (image: string) =>
      `get pods -o jsonpath={.items[?(@.spec.containers[0].image=="${image}")].metadata.name}`;
    const count = async (image: string) => (await kubectl(pods(image))).split(" ").filter((name) => name !== "").length;
    await kubectl("create deployment web --image=web:1 --replicas=3");
    await expect.poll(() => count("web:1"), { timeout: 30_000 }).toBe(3);
    await kubectl("scale deployment web --replicas=5");
    await expect.poll(() => count("web:1"), { timeout: 30_000 }).toBe(5);
    await kubectl("set image deployment web web=web:2");
    await expect.poll(() => count("web:2"), { timeout: 30_000 }).toBe(5);
    await kubectl("rollout status deployment web --timeout=30s");
    await kubectl("rollout undo deployment web");
    const history = () => kubectl("rollout history deployment web");
    await expect.poll(history, { timeout: 30_000 }).toMatch(/^2 .*\n^3 /m);
    await kubectl("delete deployment web");
    await expect.poll(() => kubectl("get replicasets,pods -o name"), { timeout: 30_000 }).toBe("");
  });
});

test("a service has its slices and endpoints, and a namespace ends", async () => {
  await withKubectl(async (kubectl) => {
    await kubectl("create namespace shop");
    await kubectl("create deployment web --image=web:1 --port=8080 --namespace shop");
    await kubectl("expose deployment web --namespace shop");
    const slices = "get endpointslices --namespace shop -o jsonpath={.items[*].metadata.labels}";
    await expect.poll(() => kubectl(slices), { timeout: 30_000 }).toContain('"kubernetes.io/service-name":"web"');
    await expect
      .poll(() => kubectl("get endpoints --namespace shop -o name"), { timeout: 30_000 })
      .toBe("endpoints/web\n");
    await kubectl("delete namespace shop --wait");
    expect(await kubectl("get namespaces -o name")).not.toContain("shop");
  });
});
