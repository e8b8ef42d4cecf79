import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deferred, noLog, systemClock } from "../../base/index.ts";
import { execCredentials } from "./exec-plugin.ts";
import type { HostCommand } from "./host.ts";
import { nodeHost } from "./node-host.ts";

const never = new AbortController().signal;
const v1 = "client.authentication.k8s.io/v1";
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-host-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function script(name: string, body: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!${process.execPath}\n${body}`);
  await chmod(path, 0o755);
  return path;
}

const commandOf = (command: string, more: Partial<HostCommand> = {}): HostCommand => ({
  command,
  args: [],
  env: process.env,
  stdin: "none",
  stderr: () => {},
  ...more,
});

describe("a real command", () => {
  test("gets arguments, environment and no input; gives output, error lines and exit code", async () => {
    const path = await script(
      "echo",
      `process.stdin.on("data", () => process.exit(9)).on("end", () => {
        console.error("one\\ntwo");
        process.stderr.write("three");
        console.log(JSON.stringify([process.argv.slice(2), process.env.MARK]));
        process.exitCode = 4;
      });`,
    );
    const lines: string[] = [];
    const env = { ...process.env, MARK: "é" };
    const command = commandOf(path, { args: ["a b", "$c"], env, stderr: (line) => lines.push(line) });
    const { stdout, exitCode } = await nodeHost.spawn(command, never);
    expect([JSON.parse(stdout), exitCode, lines]).toEqual([[["a b", "$c"], "é"], 4, ["one", "two", "three"]]);
  });

  test.each([
    ["is absent", "ENOENT", async () => join(folder, "absent")],
    ["is a bare name not in PATH", "ENOENT", async () => "kubeloop-surely-absent"],
    [
      "may not be run",
      "EACCES",
      async () => {
        const path = await script("plain", "");
        await chmod(path, 0o644);
        return path;
      },
    ],
  ])("that %s rejects", async (_name, code, path) => {
    await expect(nodeHost.spawn(commandOf(await path()), never)).rejects.toMatchObject({ code });
  });

  const leaveChild = `const child = require("node:child_process").spawn("sleep", ["60"],
    { stdio: ["ignore", "inherit", "inherit"], detached: true });
    child.unref();
    console.error(child.pid);`;
  const hang = "setInterval(() => {}, 1e6);";

  test.each([
    ["hangs", hang],
    ["hangs and ignores SIGTERM", `process.on("SIGTERM", () => {}); ${hang}`],
    ["hangs, with a child that holds its output", `${leaveChild} ${hang}`],
  ])("that %s is gone when aborted", async (_name, body) => {
    const { run, controller, pids } = await startScript(`${body} console.error(process.pid);`, isRunning);
    controller.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    expect(isRunning(pids.pop() ?? 0)).toBe(false);
    for (const pid of pids) process.kill(pid);
  });

  test("that has ended but left a child with its output is let go of when aborted", async () => {
    const { run, controller, pids } = await startScript(
      `${leaveChild} console.error(process.pid);`,
      (pid) => !isRunning(pid),
    );
    controller.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    for (const pid of pids.slice(0, -1)) process.kill(pid);
  });

  /** Runs a script that ends by telling process ids, its own last, until that one is as wanted. */
  async function startScript(body: string, isReady: (pid: number) => boolean) {
    const path = await script("started", `${body} console.error("ready");`);
    const controller = new AbortController();
    const pids: number[] = [];
    const ready = deferred();
    const tell = (line: string) => (line === "ready" ? ready.resolve() : pids.push(Number(line)));
    const run = nodeHost.spawn(commandOf(path, { stderr: tell }), controller.signal);
    await ready.promise;
    while (!isReady(pids.at(-1) ?? 0)) await systemClock.yield();
    return { run, controller, pids };
  }

  test("that never stops talking is stopped", async () => {
    const path = await script(
      "flood",
      `const line = "x".repeat(65536); const go = () => { while (process.stdout.write(line)); process.stdout.once("drain", go); }; go();`,
    );
    await expect(nodeHost.spawn(commandOf(path), never)).rejects.toMatchObject({ reason: "TooLarge" });
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a real exec plugin", () => {
  test("is asked once, told the cluster, and asked again when rejected", async () => {
    const command = await script(
      "plugin",
      `const fs = require("node:fs");
       const file = process.argv[2];
       const call = (fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0) + 1;
       fs.writeFileSync(file, String(call));
       const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
       console.log(JSON.stringify({ apiVersion: "${v1}", kind: "ExecCredential",
         status: { token: [process.env.AUDIENCE, spec.cluster.server, call].join("|") } }));`,
    );
    const credentials = execCredentials({
      plugin: {
        command,
        args: [join(folder, "calls")],
        env: [{ name: "AUDIENCE", value: "me" }],
        apiVersion: v1,
        interactiveMode: "Never",
      },
      cluster: async () => ({ server: "https://k8s" }),
      host: nodeHost,
      clock: systemClock,
      log: noLog,
    });
    const [shown, same] = await Promise.all([credentials.current(never), credentials.current(never)]);
    expect([shown.headers["authorization"], same]).toEqual(["Bearer me|https://k8s|1", shown]);
    expect(await credentials.rejected(shown, never)).toBe(true);
    expect((await credentials.current(never)).headers["authorization"]).toBe("Bearer me|https://k8s|2");
  });
});

describe("a replaced file", () => {
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  test("is there with its folders, for its owner only, and nothing else is", async () => {
    const path = join(folder, "new", "deep", "config");
    await nodeHost.replaceFile(path, "one", never);
    expect([await readFile(path, "utf8"), await modeOf(path)]).toEqual(["one", 0o600]);
    expect(await readdir(join(folder, "new", "deep"))).toEqual(["config"]);
  });

  test("loses the loose mode it had", async () => {
    const path = join(folder, "loose");
    await writeFile(path, "old", { mode: 0o644 });
    await nodeHost.replaceFile(path, "new", never);
    expect([await readFile(path, "utf8"), await modeOf(path)]).toEqual(["new", 0o600]);
  });

  test("behind a symbolic link stays behind it", async () => {
    await mkdir(join(folder, "dotfiles"));
    await writeFile(join(folder, "dotfiles", "config"), "old");
    await symlink(join(folder, "dotfiles", "config"), join(folder, "link"));
    await nodeHost.replaceFile(join(folder, "link"), "new", never);
    expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, "dotfiles", "config"), "utf8")).toBe("new");
  });

  test("is left alone when aborted", async () => {
    const path = join(folder, "kept");
    await writeFile(path, "old");
    await expect(nodeHost.replaceFile(path, "new", AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
    expect(await readFile(path, "utf8")).toBe("old");
  });
});
