// What the command prints instead of running.
import { describe, expect, test } from "vitest";
import { userAgentOf } from "./client-builder.ts";
import { newControllerManagerCommand } from "./command.ts";
import { controllerDescriptors } from "./controller-descriptors.ts";
import { printRbacManifests } from "./rbac-manifests.ts";

async function execute(...args: readonly string[]) {
  const written = { stdout: "", stderr: "" };
  const exitCode = await newControllerManagerCommand().execute(args, {
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    stopSignal: () => AbortSignal.abort(),
  });
  return { exitCode, ...written };
}

describe("--list-controllers", () => {
  test("prints the table, and marks what is not written, off by default or of a cloud", async () => {
    const { exitCode, stdout } = await execute("--list-controllers");
    expect(exitCode).toBe(0);
    const [, ...rows] = stdout.trimEnd().split("\n");
    const printed = rows.map((row) => row.split(/ {3,}/));
    const expected = controllerDescriptors.map(({ name, alias = "-", serviceAccount = "-", ...row }) => {
      const marks = [
        row.start === undefined ? "not written yet" : "",
        row.isOffByDefault === true ? "off by default" : "",
        row.isCloud === true ? "cloud" : "",
      ];
      return [name, alias, serviceAccount, marks.filter((mark) => mark !== "").join(", ") || "-"];
    });
    expect(printed).toEqual(expected);
  });

  test.each([
    ["replicaset-controller", "replicaset", "-"],
    ["persistentvolume-attach-detach-controller", "attachdetach", "not written yet"],
    ["token-cleaner-controller", "tokencleaner", "not written yet, off by default"],
    ["service-lb-controller", "service", "not written yet, cloud"],
  ])("%s, alias %s: %s", async (name, alias, marks) => {
    const { stdout } = await execute("--list-controllers");
    const row = stdout.split("\n").find((line) => line.startsWith(`${name} `));
    expect(row?.split(/ {3,}/)).toEqual([name, alias, expect.any(String), marks]);
  });
});

test("--print-rbac-manifests prints them", async () => {
  expect(await execute("--print-rbac-manifests")).toEqual({
    exitCode: 0,
    stdout: await printRbacManifests(),
    stderr: "",
  });
});

// The 36 of kube-controller-manager 1.18.
test.each(
  [
    "serviceaccount-token endpoint endpointslice replicationcontroller podgc resourcequota namespace serviceaccount garbagecollector",
    "daemonset job deployment replicaset horizontalpodautoscaling disruption statefulset cronjob csrsigning csrapproving csrcleaner ttl",
    "bootstrapsigner tokencleaner nodeipam nodelifecycle service route cloud-node-lifecycle persistentvolume-binder attachdetach",
    "persistentvolume-expander clusterrole-aggregation pvc-protection pv-protection ttl-after-finished root-ca-cert-publisher",
  ].flatMap((line) => line.split(" ")),
)("--controllers takes 1.18's name %s", async (name) => {
  const { exitCode, stderr } = await execute(`--controllers=${name},nonsense`, "--kubeconfig=/none");
  expect(exitCode).toBe(1);
  // Only the other one is unknown.
  expect(stderr.match(/"[^"]*" is not in the list of known controllers/g) ?? []).toHaveLength(1);
});

test("an argument that is no flag is complained about, without the usage", async () => {
  expect(await execute("extra", "", "args", "--version")).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: 'Error: "kube-controller-manager" does not take any arguments, got ["extra" "" "args"]\n',
  });
  // Help goes before it.
  expect(await execute("extra", "--help")).toMatchObject({ exitCode: 0, stderr: "" });
});

test("a flag that is unknown is complained about after the usage", async () => {
  const { exitCode, stderr } = await execute("--nonsense");
  expect([exitCode, stderr.startsWith("Usage:\n"), stderr.endsWith("\nError: unknown flag: --nonsense\n")]).toEqual([
    1,
    true,
    true,
  ]);
});

test("--version=raw names the machine as Go does", async () => {
  const { platform } = JSON.parse((await execute("--version=raw")).stdout);
  expect(userAgentOf("x")).toContain(`(${platform})`);
});

test("before anything can fail, it says which version it is", async () => {
  const { exitCode, stderr } = await execute("--kubeconfig=/none");
  expect(exitCode).toBe(1);
  expect(stderr.split("\n")[0]).toMatch(/^I.*\] "Starting" version="v1\.36\.\d+"$/);
});
