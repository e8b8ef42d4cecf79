// What the README says that people can do with kubectl and `kubeloop up`: here with the real kubectl.
import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deferred, systemClock } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.fixture.ts";
import { up } from "./up.ts";
import { parseUpOptions } from "./up-options.ts";

const { signal } = new AbortController();

/** Runs kubectl on a cluster of `kubeloop up`, while `work` does. */
async function withUp(work: (kubectl: Kubectl) => Promise<void>, args: readonly string[] = []): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "kubeloop-up-"));
  const stop = new AbortController();
  const ready = deferred();
  const options = parseUpOptions(["--json", "--port=0", ...args]);
  const io = { folder, clock: systemClock, host: new EventEmitter(), print: () => ready.resolve(), complain: () => {} };
  const ended = up(options, io, stop.signal);
  try {
    await Promise.race([ready.promise, ended]);
    await work(await kubectlFor(join(folder, ".kubeloop/kubeconfig"), signal));
  } finally {
    stop.abort();
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same for commands that succeed, as words with single blanks between them; what they print is returned. */
async function withKubectl(work: (kubectl: (command: string) => Promise<string>) => Promise<void>): Promise<void> {
  await withUp((kubectl) =>
    work(async (command) => {
      const { code, stdout, stderr } = await kubectl(command.split(" "));
      if (code !== 0) throw new Error(`kubectl ${command}: exit code ${code}: ${stderr}`);
      return stdout;
    }),
  );
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

test("what kubectl can do works, and what needs a network, programs or metrics says so in one sentence", async () => {
  await withUp(
    async (kubectl) => {
      const transcript = async (command: string) => {
        const { code, stdout, stderr } = await kubectl(command.split(" "));
        return { code, text: `${stdout}${stderr}`.replaceAll(/web-[a-z0-9]+-[a-z0-9]{5}/g, "POD") };
      };
      await kubectl(["create", "deployment", "web", "--image=nginx", "--replicas=2"]);
      await kubectl(["wait", "deployment/web", "--for=condition=Available", "--timeout=60s"]);
      const { stdout: names } = await kubectl(["get", "pods", "-o", "jsonpath={.items[*].metadata.name}"]);
      const pod = names.split(" ")[0] ?? "";
      const noNetwork = "hollow nodes have no network to forward to: portforward is not served\n";
      const noTar =
        "error: Internal error occurred: error executing command in container: OCI runtime exec failed: exec failed: unable to start container process: " +
        'exec: "tar": executable file not found in $PATH: unknown (a hollow node has no programs, and so kubectl cp, which runs tar, cannot copy)\n';
      const rows: readonly (readonly [command: string, code: number, text: string | RegExp])[] = [
        [`port-forward ${pod} :80`, 1, `error: error upgrading connection: unable to upgrade connection: ${noNetwork}`],
        [`cp ${pod}:/etc/hostname ./never-written`, 1, noTar],
        ["top nodes", 1, "error: Metrics API not available\n"],
        ["top pods", 1, "error: Metrics API not available\n"],
        [
          `get --raw /api/v1/namespaces/default/pods/${pod}/proxy/`,
          1,
          /^Error from server[^\n]*hollow nodes have no network to forward to: proxy is not served\n$/,
        ],
        ["autoscale deployment web --min=1 --max=3", 0, "horizontalpodautoscaler.autoscaling/web autoscaled\n"],
        ["scale deployment web --replicas=3", 0, "deployment.apps/web scaled\n"],
        ["rollout status deployment web --timeout=60s", 0, /deployment "web" successfully rolled out\n$/],
        [
          "drain node-1 --ignore-daemonsets --force --timeout=60s",
          0,
          /^node\/node-1 cordoned\n[\s\S]*node\/node-1 drained\n$/,
        ],
        ["uncordon node-1", 0, "node/node-1 uncordoned\n"],
        ["rollout restart deployment web", 0, "deployment.apps/web restarted\n"],
        ["rollout undo deployment web", 0, "deployment.apps/web rolled back\n"],
        [
          "run once --rm -i --restart=Never --image=busybox -- echo hello",
          0,
          /^hello\npod "once" deleted from default namespace\n$/,
        ],
      ];
      for (const [command, code, text] of rows) {
        const said = await transcript(command);
        expect({ command, code: said.code, text: said.text }).toEqual({
          command,
          code,
          text: typeof text === "string" ? text : expect.stringMatching(text),
        });
      }
    },
    ["--speed=10"],
  );
});
