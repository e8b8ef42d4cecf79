import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Kubeconfig } from "./kubeconfig.ts";
import { clusterConfigFromKubeconfig, loadClusterConfig, loadKubeconfig } from "./load-cluster-config.ts";
import { mergeKubeconfigs, toKubeconfig } from "./merge-kubeconfigs.ts";
import { printKubeconfig, writeKubeconfig } from "./write-kubeconfig.ts";

const never = new AbortController().signal;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-kubeconfig-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ours: Kubeconfig = {
  clusters: [{ name: "kubeloop", cluster: { server: "https://127.0.0.1:6443" } }],
  contexts: [{ name: "kubeloop", context: { cluster: "kubeloop", user: "kubeloop" } }],
  "current-context": "kubeloop",
  users: [{ name: "kubeloop", user: { token: "22:22" } }],
};

test("is printed as kubectl prints it, doubtful texts in quotes", async () => {
  expect(await printKubeconfig(ours)).toBe(`apiVersion: v1
clusters:
  - name: kubeloop
    cluster:
      server: https://127.0.0.1:6443
contexts:
  - name: kubeloop
    context:
      cluster: kubeloop
      user: kubeloop
current-context: kubeloop
kind: Config
users:
  - name: kubeloop
    user:
      token: "22:22"
`);
});

test("is written for its owner only, and read back", async () => {
  const path = join(folder, "new", "config");
  await writeKubeconfig(path, ours, {}, never);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const { server, credentials, source } = await loadClusterConfig({ path }, never);
  expect([server, (await credentials.current(never)).headers, source]).toEqual([
    "https://127.0.0.1:6443",
    { authorization: "Bearer 22:22" },
    `context "kubeloop" of ${path}`,
  ]);
});

test("is added to a file that is there by merging, ours first, with the others' paths made absolute", async () => {
  const path = join(folder, "existing");
  await writeFile(join(folder, "token"), "t");
  await writeFile(
    path,
    "current-context: old\nusers:\n- {name: old, user: {tokenFile: token}}\n- {name: kubeloop, user: {token: stale}}\n",
  );
  const { users } = toKubeconfig(await loadKubeconfig({ path }, never));
  const merged = toKubeconfig(
    mergeKubeconfigs([{ kubeconfig: ours }, { kubeconfig: { ...(users && { users }), "current-context": "old" } }]),
  );
  await writeKubeconfig(path, merged, {}, never);
  expect(merged["current-context"]).toBe("kubeloop");
  expect(merged.users).toEqual([
    { name: "kubeloop", user: { token: "22:22" } },
    { name: "old", user: { tokenFile: join(folder, "token") } },
  ]);
  expect(await readFile(path, "utf8")).toContain(`tokenFile: ${join(folder, "token")}`);
});

test("need not be a file at all", async () => {
  const { server, source } = await clusterConfigFromKubeconfig(ours, { namespace: "n" }, never);
  expect([server, source]).toEqual(["https://127.0.0.1:6443", 'context "kubeloop"']);
});
