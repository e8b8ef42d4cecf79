import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { mergeIntoKubeconfig, usersKubeconfigPath } from "./merged-kubeconfig.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubeloop-merge-"));
  path = join(folder, ".kube", "config");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entriesAt = (server: string) => ({
  clusters: { name: "kubeloop", cluster: { server } },
  users: { name: "kubeloop-admin", user: { token: "t" } },
  contexts: { name: "kubeloop", context: { cluster: "kubeloop", user: "kubeloop-admin" } },
});
const entries = entriesAt("https://127.0.0.1:1");

const work = `# of the office
apiVersion: v1
kind: Config
clusters:
  - name: office # large
    cluster:
      server: https://office
users: []
contexts:
  - name: office
    context: { cluster: office, user: "" }
current-context: office
preferences: {}
`;

function given(text: string): void {
  path = join(folder, "config");
  writeFileSync(path, text, { mode: 0o640 });
}

const text = () => readFileSync(path, "utf8");

test("a new file is its owner's alone, and has only this cluster", () => {
  mergeIntoKubeconfig(path, entries);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(text()).toMatch(/^apiVersion: v1\nkind: Config\n/);
  expect(text()).toContain("current-context: kubeloop\n");
  expect(readdirSync(join(folder, ".kube"))).toEqual(["config"]);
});

test("all that was there stays, with its comments and its mode, and comes back as it was", () => {
  given(work);
  const merged = mergeIntoKubeconfig(path, entries);
  expect(text()).toContain("# of the office\n");
  expect(text()).toContain("- name: office # large\n");
  expect(text()).toContain("server: https://127.0.0.1:1\n");
  expect(text()).toContain("current-context: kubeloop\n");
  expect(statSync(path).mode & 0o777).toBe(0o640);
  merged.remove();
  expect(text()).toBe(work);
});

test("a context that somebody has chosen meanwhile stays the current one", () => {
  given(work);
  const merged = mergeIntoKubeconfig(path, entries);
  writeFileSync(path, text().replace("current-context: kubeloop", "current-context: other"));
  merged.remove();
  expect(text()).toBe(work.replace("current-context: office", "current-context: other"));
});

test("the entries of a cluster that came after this one stay", () => {
  given(work);
  const first = mergeIntoKubeconfig(path, entries);
  const second = mergeIntoKubeconfig(path, entriesAt("https://127.0.0.1:2"));
  const merged = text();
  first.remove();
  expect(text()).toBe(merged);
  second.remove();
  expect(text()).not.toContain("kubeloop\n    cluster");
});

test("a link is followed", () => {
  given(work);
  const link = join(folder, "link");
  symlinkSync(path, link);
  mergeIntoKubeconfig(link, entries);
  expect(text()).toContain("current-context: kubeloop\n");
});

describe("left alone, with one sentence", () => {
  test.each([
    ["what is no YAML", "a: [", "is not a kubeconfig; nothing was written there"],
    ["what is no map", "- a\n", "is not a kubeconfig; nothing was written there"],
  ])("%s", (_, before, sentence) => {
    given(before);
    expect(() => mergeIntoKubeconfig(path, entries)).toThrow(new UsageError(`up: ${path} ${sentence}`));
    expect(text()).toBe(before);
    expect(readdirSync(folder)).toEqual(["config"]);
  });

  test("what another program is writing", () => {
    given(work);
    writeFileSync(`${path}.lock`, "");
    expect(() => mergeIntoKubeconfig(path, entries)).toThrow("is being written by another program");
    expect(text()).toBe(work);
  });
});

test.each([
  [{}, "/home/me/.kube/config"],
  [{ KUBECONFIG: "" }, "/home/me/.kube/config"],
  [{ KUBECONFIG: "/one:/two" }, "/one"],
  [{ KUBECONFIG: ":/two" }, "/two"],
])("with %j it is %s", (env, expected) => {
  expect(usersKubeconfigPath(env, "/home/me")).toBe(expected);
});
