// Both programs on a real kube-apiserver, as the tutorial runs them: with a kubeconfig, leader election, and no rights but those that
// `--print-rbac` prints. Nobody plays the deployment controller there: the test does.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type appsv1, isControlledBy, isNotFound, type KubernetesObject, type Resource } from "@kubeloop/core/api";
import { systemClock, TaskScope } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { deployments, events, leases, namespaces } from "@kubeloop/core/resources";
import { newDeployment, newNamespace } from "@kubeloop/core/testing";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as contractStyle from "./contract-style.ts";
import { type Foo, foos } from "./generated/samplecontroller.k8s.io/v1alpha1/foo.ts";
import * as reconcileStyle from "./reconcile-style.ts";
import { runOperator } from "./run-operator.ts";

const { signal } = new AbortController();
let cluster: RealCluster;
let client: Client;

beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"] };
  cluster = await RealCluster.start({ extraFlags }, signal);
  client = openClient(await loadClusterConfig({ path: cluster.adminKubeconfigPath }, signal));
  kubectl("", "apply", "-f", join(import.meta.dirname, "foo-crd.yaml"));
  kubectl("", "wait", "--for=condition=Established", "crd/foos.samplecontroller.k8s.io");
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

function kubectl(input: string, ...args: readonly string[]): string {
  const all = [`--kubeconfig=${cluster.adminKubeconfigPath}`, ...args];
  return execFileSync(cluster.kubectlPath, all, { encoding: "utf8", input });
}

/** What `--print-rbac` prints. */
async function printedRbac(controller: typeof contractStyle.fooController): Promise<string> {
  const print = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    await runOperator(controller, ["--print-rbac"], signal);
    return String(print.mock.lastCall?.[0]);
  } finally {
    print.mockRestore();
  }
}

async function find<T extends KubernetesObject>(resource: Resource<T>, place: string, name: string) {
  try {
    return await client.resource(resource).in(place).get(name, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Real programs take real time; the test's own timeout is the bound. */
async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await systemClock.sleep(50, signal);
  }
}

describe.each([
  ["reconcile-style", reconcileStyle.fooController],
  ["contract-style", contractStyle.fooController],
])("%s", (place, controller) => {
  let operator: TaskScope;
  let path: string;

  beforeAll(async () => {
    kubectl(await printedRbac(controller), "apply", "-f", "-");
    await client.resource(namespaces).create(newNamespace(place), {}, signal);
    const user = "system:serviceaccount:default:sample-controller";
    path = join(cluster.folder, `${place}.kubeconfig`);
    const text = cluster.kubeconfig(user, await cluster.clientCertificate({ user }));
    writeFileSync(path, text, { mode: 0o600 });
  });
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    operator = new TaskScope(signal);
    void operator.spawn((each) => runOperator(controller, ["--kubeconfig", path, "--leader-elect"], each));
  });
  afterEach(async () => {
    operator.abort();
    await operator.join();
    await client.resource(foos).in(place).deleteCollection({}, signal);
    vi.restoreAllMocks();
  });

  const all = () => client.resource(deployments).in(place);
  const holder = async () => (await find(leases, "default", "sample-controller"))?.spec?.holderIdentity;
  const createFoo = (name: string, spec: Foo["spec"]) => {
    const apiVersion = "samplecontroller.k8s.io/v1alpha1";
    return client.resource(foos).in(place).create({ apiVersion, kind: "Foo", metadata: { name }, spec }, {}, signal);
  };
  const editFoo = (name: string, spec: Partial<Foo["spec"]>) =>
    client.resource(foos).in(place).patch(name, { type: "merge", body: { spec } }, {}, signal);
  const isTold = async (name: string, reason: string) => {
    for await (const event of client.resource(events).in(place).list({}, signal))
      if (event.involvedObject.name === name && event.reason === reason) return true;
    return false;
  };

  test("makes the Deployment, scales it, makes it anew, and follows its status", async () => {
    const foo = await createFoo("a", { deploymentName: "web", replicas: 1 });
    const made = await until(() => find(deployments, place, "web"));
    expect(made.spec.replicas).toBe(1);
    expect(isControlledBy(made, foo)).toBe(true);

    await editFoo("a", { replicas: 3 });
    await until(async () => (await find(deployments, place, "web"))?.spec.replicas === 3);

    const status: appsv1.Deployment["status"] = { replicas: 3, readyReplicas: 2, availableReplicas: 2 };
    await all().subresource("status").patch("web", { type: "merge", body: { status } }, {}, signal);
    await until(async () => (await find(foos, place, "a"))?.status?.availableReplicas === 2);

    await all().delete("web", {}, signal);
    const anew = await until(async () => {
      const found = await find(deployments, place, "web");
      return found?.metadata.uid === made.metadata.uid ? undefined : found;
    });
    expect(anew.spec.replicas).toBe(3);
    await until(async () => (await find(foos, place, "a"))?.status?.availableReplicas === 0);
    await until(() => isTold("a", "Synced"));
  });

  test("given another name, it makes that one and removes the old one", async () => {
    await createFoo("renamed", { deploymentName: "before", replicas: 1 });
    await until(() => find(deployments, place, "before"));
    await editFoo("renamed", { deploymentName: "after" });
    await until(async () => (await find(deployments, place, "before")) === undefined);
    expect(await find(deployments, place, "after")).toBeDefined();
  });

  test("refuses a Deployment that is not its own, and says so", async () => {
    await all().create(newDeployment(`${place}/theirs`, { spec: { replicas: 7 } }), {}, signal);
    await createFoo("refused", { deploymentName: "theirs", replicas: 1 });
    await until(() => isTold("refused", "ErrResourceExists"));
    expect((await find(deployments, place, "theirs"))?.spec.replicas).toBe(7);
  });

  test("the CRD takes no Foo without a name for its Deployment", async () => {
    await expect(createFoo("nameless", { deploymentName: "", replicas: 1 })).rejects.toThrow("spec.deploymentName");
  });

  test("as a program it does the same, until SIGTERM ends it in order", async () => {
    operator.abort();
    await operator.join();
    const program = join(import.meta.dirname, "../dist/sample-controller", `${place}.js`);
    const child = spawn(process.execPath, [program, "--kubeconfig", path, "--leader-elect"], { stdio: "ignore" });
    const ended = once(child, "exit");
    try {
      await createFoo("by-program", { deploymentName: "by-program", replicas: 1 });
      await until(() => find(deployments, place, "by-program"));
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
    expect((await holder()) || "nobody").toBe("nobody");
  });

  test("told to stop it ends in order, and gives the lease back", async () => {
    await until(async () => Boolean(await holder()));
    operator.abort();
    await operator.join();
    expect((await holder()) || "nobody").toBe("nobody");
  });
});
