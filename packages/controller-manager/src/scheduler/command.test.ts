// What kube-scheduler prints instead of running, and what its flags and its file come to.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJsonOrYaml } from "@kubeloop/core/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { schedulerConfigurationOf } from "./configuration.ts";
import { execute } from "./execute-command.fixture.ts";
import { parseSchedulerOptions, schedulerFlagGroups } from "./options.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-scheduler-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("complaints", () => {
  test.each([
    ["--nonsense", "Error: unknown flag: --nonsense\n"],
    [
      "--secure-port=x",
      'Error: invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax\n',
    ],
    ["foo", 'Error: "kube-scheduler" does not take any arguments, got ["foo"]\n'],
    ["--feature-gates=Nonsense=true", 'err="unrecognized feature gate: Nonsense"\n'],
    ["--secure-port=70000", "--secure-port 70000 must be between 1 and 65535, inclusive."],
  ])("%s", async (arg, message) => {
    const { exitCode, stderr } = await execute(arg);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });

  test("a configuration that this scheduler cannot do", async () => {
    const path = join(folder, "extenders.yaml");
    const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    await writeFile(path, `${header}extenders: [{ urlPrefix: "http://127.0.0.1" }]\n`);
    const { exitCode, stderr } = await execute(`--config=${path}`);
    expect({ exitCode, isSaid: stderr.includes("extenders: extenders are not supported") }).toEqual({
      exitCode: 1,
      isSaid: true,
    });
  });
});

test("--help has upstream's groups in upstream's order", async () => {
  const { exitCode, stdout } = await execute("--help");
  expect(exitCode).toBe(0);
  expect([...stdout.matchAll(/^(.+) flags:$/gm)].map(([, name]) => name)).toEqual([
    "Misc",
    "Secure serving",
    "Authentication",
    "Authorization",
    "Deprecated",
    "Leader election",
    "Feature gate",
    "Metrics",
    "Logs",
    "Global",
  ]);
});

test("--version says which Kubernetes it is like", async () => {
  expect(await execute("--version")).toEqual({ exitCode: 0, stdout: "Kubernetes v1.36.4\n", stderr: "" });
});

test("no flag is named twice", () => {
  const names = schedulerFlagGroups.flatMap(({ flags }) => flags.map(({ name }) => name));
  expect(names.length).toBe(new Set(names).size);
});

test("--write-config-to writes what --config reads to the same effect", async () => {
  const [first, second] = [join(folder, "first.yaml"), join(folder, "second.yaml")];
  const flags = ["--kube-api-qps=7.5", "--leader-elect-lease-duration=20s", "--profiling=false", "--kubeconfig=/k"];
  expect((await execute(...flags, `--write-config-to=${first}`)).exitCode).toBe(0);
  expect((await execute(`--config=${first}`, `--write-config-to=${second}`)).exitCode).toBe(0);
  expect(await readFile(second, "utf8")).toBe(await readFile(first, "utf8"));
  expect(await parseJsonOrYaml(await readFile(first, "utf8"))).toMatchObject({
    clientConnection: { kubeconfig: "/k", qps: 7.5, burst: 100 },
    enableProfiling: false,
    leaderElection: { leaderElect: true, leaseDuration: "20s", resourceName: "kube-scheduler" },
    podMaxBackoffSeconds: 10,
  });
});

// As upstream writes it with the same kubeconfig.
test("--write-config-to writes upstream's defaults", async () => {
  const path = join(folder, "defaults.yaml");
  expect((await execute("--kubeconfig=/kubeconfig", `--write-config-to=${path}`)).exitCode).toBe(0);
  expect(await readFile(path, "utf8")).toBe(
    await readFile(new URL("./upstream-defaults.facts.yaml", import.meta.url), "utf8"),
  );
});

describe("file and flags", () => {
  const file = {
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    clientConnection: { kubeconfig: "/of-the-file", qps: 5 },
    leaderElection: { leaderElect: false },
    podInitialBackoffSeconds: 3,
  };
  test.each([
    [
      "without a file, the flags",
      undefined,
      ["--kubeconfig=/k", "--kube-api-burst=9"],
      { kubeconfig: "/k", burst: 9, qps: 50 },
    ],
    [
      "with a file, deprecated flags have no effect",
      file,
      ["--kubeconfig=/k", "--kube-api-burst=9"],
      { kubeconfig: "/of-the-file", burst: 100, qps: 5 },
    ],
    ["the file", file, [], { leaderElection: undefined, podInitialBackoffMs: 3000 }],
    [
      "a flag of the election goes before the file",
      file,
      ["--leader-elect=true"],
      { leaderElection: { resourceName: "kube-scheduler" } },
    ],
    ["without an election", undefined, ["--leader-elect=false"], { leaderElection: undefined }],
  ] as const)("%s", (_, document, args, expected) => {
    expect(schedulerConfigurationOf(parseSchedulerOptions(args), document)).toMatchObject(expected);
  });
});
