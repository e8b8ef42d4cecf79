import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runCommand } from "./command.ts";
import { kubeloopVersion } from "./version.ts";

async function run(...args: string[]) {
  const io = { out: "", err: "" };
  const code = await runCommand(args, {
    print: (text) => {
      io.out += text;
    },
    complain: (text) => {
      io.err += text;
    },
    signal: new AbortController().signal,
  });
  return { code, ...io };
}

describe("api-resources", () => {
  test("prints a table in kubectl's columns", async () => {
    const { code, out } = await run("api-resources", "--api-group", "apps");
    expect(code).toBe(0);
    expect(
      out
        .split("\n")
        .slice(0, 3)
        .map((line) => line.split(/\s+/)),
    ).toEqual([
      ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"],
      ["controllerrevisions", "apps/v1", "true", "ControllerRevision"],
      ["daemonsets", "ds", "apps/v1", "true", "DaemonSet"],
    ]);
  });

  for (const [args, included, excluded] of [
    [["-o", "name"], ["pods", "deployments.apps"], []],
    [["-o", "name", "--namespaced", "false"], ["nodes"], ["pods"]],
    [["-o", "name", "--namespaced=true"], ["pods"], ["nodes"]],
    [["-o", "name", "--api-group="], ["pods"], ["deployments.apps"]],
    [["-o", "name", "--verbs", "create,list"], ["pods"], ["bindings"]],
    [["-o", "name", "--served-only"], ["pods"], ["storageversions.internal.apiserver.k8s.io"]],
  ] as const) {
    test(`${args.join(" ")} lists ${included.join(", ")} and not ${excluded.join(", ") || "nothing"}`, async () => {
      const names = (await run("api-resources", ...args)).out.split("\n");
      expect(names).toEqual(expect.arrayContaining([...included]));
      for (const name of excluded) expect(names).not.toContain(name);
    });
  }

  test("-o json is the registry's rows", async () => {
    const rows = JSON.parse((await run("api-resources", "-o", "json", "--api-group", "batch")).out) as {
      kind: string;
    }[];
    expect(rows.map((row) => row.kind)).toEqual(["CronJob", "Job"]);
  });

  test("-o wide adds verbs and categories", async () => {
    const { out } = await run("api-resources", "-o", "wide", "--api-group", "batch");
    expect(out).toMatch(/VERBS +CATEGORIES/);
    expect(out).toMatch(/jobs .*create,delete,deletecollection,get,list,patch,update,watch +all/);
  });
});

describe("words it does not know are one sentence and exit code 1", () => {
  for (const [args, sentence] of [
    [["nonsense"], 'kubeloop: unknown command "nonsense"; `kubeloop help` lists them\n'],
    [["up", "--port", "x"], 'kubeloop: up: --port must be a whole number, not "x"\n'],
    [["up", "--port", "70000"], "kubeloop: up: --port must be at most 65535, not 70000\n"],
    [["up", "--nodes", "x"], 'kubeloop: up: --nodes must be a whole number, not "x"\n'],
    [["up", "--json", "--quiet"], "kubeloop: up: --json and --quiet exclude each other\n"],
    [["up", "--colour"], "kubeloop: up: Unknown option '--colour'\n"],
    [["api-resources", "--nonsense"], "kubeloop: api-resources: Unknown option '--nonsense'\n"],
    [["api-resources", "-o", "xml"], 'kubeloop: --output must be one of table, wide, name, json, not "xml"\n'],
    [["api-resources", "--namespaced", "maybe"], 'kubeloop: --namespaced must be true or false, not "maybe"\n'],
  ] as const) {
    test(args.join(" "), async () => expect(await run(...args)).toEqual({ code: 1, out: "", err: sentence }));
  }
});

test("without a command it helps", async () => {
  expect((await run()).out).toContain("Usage:");
  expect((await run("api-resources", "--help")).out).toContain("--api-group");
});

test("the commands of kubectl have their help in both places", async () => {
  for (const name of ["get", "apply", "delete", "logs", "wait"]) {
    const { code, out } = await run("help", name);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^kubeloop ${name}: `));
    expect((await run(name, "--help")).out).toBe(out);
    expect((await run("help")).out).toContain(`  kubeloop ${name} `);
  }
});

test("the version is the package's", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  expect(kubeloopVersion).toBe(manifest.version);
  expect((await run("version")).out).toBe(`kubeloop ${kubeloopVersion}, Kubernetes v1.36.4\n`);
});
