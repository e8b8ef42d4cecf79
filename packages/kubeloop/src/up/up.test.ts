import { EventEmitter } from "node:events";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { deferred, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { deployments, namespaces, nodes, pods } from "@kubeloop/core/resources";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UsageError } from "../usage-error.ts";
import { up } from "./up.ts";
import { parseUpOptions, type UpOptions } from "./up-options.ts";

let folder: string;
let path: string;
let host: EventEmitter;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeloop-up-"));
  path = join(folder, ".kubeloop/kubeconfig");
  host = new EventEmitter();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs it while `work` does, with what it has printed so far. */
async function running(
  options: Partial<UpOptions>,
  work: (printed: readonly string[], signal: AbortSignal) => Promise<void>,
): Promise<readonly string[]> {
  const stop = new AbortController();
  const printed: string[] = [];
  const ready = deferred();
  const print = (text: string) => {
    printed.push(text);
    ready.resolve();
  };
  const all = { ...inJson, ...options };
  const complain = (text: string) => void printed.push(text);
  const ended = up(all, { folder, clock: systemClock, host, print, complain }, stop.signal);
  await Promise.race([ready.promise, ended]);
  try {
    await work(printed, stop.signal);
  } finally {
    stop.abort();
    await ended;
  }
  return printed;
}

const inJson = parseUpOptions(["--json", "--port=0"]);

const ready = (line: string | undefined) => JSON.parse(line ?? "{}") as { server: string; kubeconfig: string };

test("on a terminal a live status is below what is printed, and in the end it is gone", async () => {
  const drawn: string[] = [];
  const ready = deferred();
  let printedBefore = 0;
  const terminal = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    write(text: string) {
      drawn.push(stripVTControlCharacters(text).replace("\r", ""));
      if (drawn.at(-1)?.startsWith("nodes 1/1 ready")) ready.resolve();
    },
  });
  const stop = new AbortController();
  const print = (text: string) => {
    if (text.startsWith("kubeloop ")) printedBefore = drawn.length;
  };
  const options = parseUpOptions(["--port=0", "--nodes=1"]);
  const ended = up(options, { folder, clock: systemClock, host, print, complain: print, terminal }, stop.signal);
  await Promise.race([ready.promise, ended]);
  stop.abort();
  await ended;
  expect(drawn[printedBefore]).toMatch(/^(?:starting: )?nodes \d\/1 ready/);
  expect(drawn.at(-1)).toBe("");
  expect(terminal.listenerCount("resize")).toBe(0);
});

describe("up", () => {
  test("answers under the address and kubeconfig that its ready line holds", async () => {
    await running({}, async ([line], signal) => {
      const { server, kubeconfig } = ready(line);
      expect(server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      const config = await loadClusterConfig({ path: kubeconfig }, signal);
      expect(config.server).toBe(server);
      await using client = openClient(config);
      const names = [];
      for await (const { metadata } of client.resource(namespaces).list({}, signal)) names.push(metadata.name);
      expect(names).toContain("kube-system");
    });
  });

  test("gives pods the account that its controllers make", async () => {
    await running({}, async ([line], signal) => {
      await using client = openClient(await loadClusterConfig({ path: ready(line).kubeconfig }, signal));
      const spec = { containers: [{ name: "c", image: "i" }] };
      const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, spec } as const;
      const created = await client.resource(pods).in("default").create(pod, signal);
      expect(created.spec.serviceAccountName).toBe("default");
      expect(created.spec.volumes?.[0]?.name).toMatch(/^kube-api-access-/);
    });
  });

  test("leaves out the admission plugins that it is told to", async () => {
    await running({ disableAdmissionPlugins: ["ServiceAccount"] }, async ([line], signal) => {
      await using client = openClient(await loadClusterConfig({ path: ready(line).kubeconfig }, signal));
      const spec = { containers: [{ name: "c", image: "i" }] };
      const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, spec } as const;
      const created = await client.resource(pods).in("default").create(pod, signal);
      expect(created.spec.serviceAccountName).toBeUndefined();
    });
  });

  test("adds the admission plugins that it is told to", async () => {
    await running({ enableAdmissionPlugins: ["NodeRestriction"] }, async ([line], signal) => {
      const config = await loadClusterConfig({ path: ready(line).kubeconfig }, signal);
      const groups = ["system:nodes", "system:masters"];
      await using client = openClient({ ...config, impersonate: { user: "system:node:n", groups } });
      const node = { kind: "Node", apiVersion: "v1", metadata: { name: "other" } } as const;
      const refused = client.resource(nodes).create(node, signal);
      await expect(refused).rejects.toThrow('node "n" is not allowed to modify node "other"');
    });
  });

  test.each([
    [{ enableAdmissionPlugins: ["Nonsense"] }, 'up: enable-admission-plugins plugin "Nonsense" is unknown'],
    [{ disableAdmissionPlugins: ["Nonsense"] }, 'up: disable-admission-plugins plugin "Nonsense" is unknown'],
    [
      { enableAdmissionPlugins: ["Priority"], disableAdmissionPlugins: ["Priority"] },
      "up: [Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
    ],
  ])("%j is one clear sentence", async (options, sentence) => {
    await expect(running(options, async () => {})).rejects.toEqual(new UsageError(sentence));
  });

  test("keeps its kubeconfig to its owner, and takes it away in the end", async () => {
    await running({}, async () => {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await stat(join(folder, ".kubeloop"))).mode & 0o777).toBe(0o700);
      expect((await readdir(join(folder, ".kubeloop"))).sort()).toEqual([
        ".gitignore",
        "ca.crt",
        "kubeconfig",
        "state.json",
      ]);
    });
    await expect(readFile(path)).rejects.toThrow("ENOENT");
  });

  test("tells people what to try", async () => {
    const printed = await running({ output: "text" }, async () => {});
    expect(printed.join("")).toMatch(/server +https:\/\/127\.0\.0\.1:\d+\n +kubeconfig +\.\/\.kubeloop\/kubeconfig\n/);
    expect(printed.join("")).toContain('export KUBECONFIG="$PWD/.kubeloop/kubeconfig"');
  });

  test("does not write to stderr what the server warns its own parts of", async () => {
    // Endpoints, which a controller watches, are deprecated.
    using written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await running({}, async () => {});
    expect(written.mock.calls).toEqual([]);
  });

  test("runs the pods of a deployment on its nodes", async () => {
    await running({}, async ([line], signal) => {
      const told = JSON.parse(line ?? "{}") as { nodes: readonly string[]; kubeconfig: string };
      expect(told.nodes).toEqual(["node-1", "node-2", "node-3"]);
      await using client = openClient(await loadClusterConfig({ path: told.kubeconfig }, signal));
      const labels = { app: "web" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
      const spec = { replicas: 3, selector: { matchLabels: labels }, template };
      const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec } as const;
      const inDefault = client.resource(deployments).in("default");
      await inDefault.create(web, signal);
      const available = async () => (await inDefault.get("web", signal)).status?.availableReplicas;
      await expect.poll(available, { timeout: 30_000 }).toBe(3);
      const usedNodes = new Set<string | undefined>();
      for await (const { spec } of client.resource(pods).in("default").list({}, signal)) usedNodes.add(spec.nodeName);
      expect([...usedNodes].sort()).toEqual(told.nodes);
    });
  });

  test("with neither nodes nor scheduler pods wait", async () => {
    await running({ nodes: 0, withoutScheduler: true, output: "text" }, async ([text]) => {
      expect(text).toMatch(/nodes +none\n +scheduler +none\n/);
      expect(text).toContain("Without nodes and a scheduler pods stay Pending.");
    });
  });

  test("ends with a sentence when pods would not run in time", async () => {
    await expect(running({ waitMs: 1 }, async () => {})).rejects.toThrow(
      "up: pods would not run within 0.001 s; --wait gives it more time",
    );
  });

  test.each([
    [["--colour"], "up: unknown flag: --colour"],
    [["--controllers=colour"], 'up: "colour" is not in the list of known controllers'],
  ])("the manager's flags %j are one clear sentence", async (managerFlags, sentence) => {
    await expect(running({ managerFlags }, async () => {})).rejects.toEqual(new UsageError(sentence));
  });

  test("is the current context of the user's own kubeconfig while it runs, if that is wanted", async () => {
    const own = join(folder, "own-kubeconfig");
    vi.stubEnv("KUBECONFIG", own);
    try {
      await running({ mergeKubeconfig: true }, async ([line], signal) => {
        expect((await loadClusterConfig({ path: own }, signal)).server).toBe(ready(line).server);
      });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(await readFile(own, "utf8")).toMatch(/^current-context: ""$/m);
  });

  test("shows what controllers do, and goes on", async () => {
    await running({ demo: true }, async (printed) => {
      const told = () => printed.map((line) => JSON.parse(line) as { event: string; text?: string });
      await expect.poll(() => told().at(-1)?.text, { timeout: 120_000 }).toMatch(/^The shop stays/);
      expect(told().filter(({ event }) => event === "demo").length).toBeGreaterThan(6);
    });
  });

  test("runs no controller when it is told that another manager is started beside it", async () => {
    await running({ withoutManager: true }, async ([line]) => {
      expect(JSON.parse(line ?? "{}")).toMatchObject({ controllers: [] });
    });
    await running({}, async ([line]) => {
      expect(JSON.parse(line ?? "{}").controllers).toContain("namespace-controller");
    });
  });

  test("a port that is taken is one clear sentence", async () => {
    const taken = createServer();
    const listening = deferred();
    taken.listen(0, "127.0.0.1", () => listening.resolve());
    await listening.promise;
    const { port } = taken.address() as { port: number };
    const fault = new UsageError(
      `up: port ${port} on 127.0.0.1 is taken; choose another with --port, or --port 0 for any that is free`,
    );
    await expect(running({ port }, async () => {})).rejects.toEqual(fault);
    taken.close();
  });
});

test("of two that are started at once in a folder one runs, and the other ends with a sentence", async () => {
  const stop = new AbortController();
  const ready = deferred();
  const world = { folder, clock: systemClock, host, print: () => ready.resolve(), complain: () => {} };
  const both = [1, 2].map(() => up(inJson, world, stop.signal));
  const [refused] = await Promise.all([Promise.race(both).catch((error: unknown) => error), ready.promise]);
  expect(refused).toBeInstanceOf(UsageError);
  stop.abort();
  const ends = await Promise.allSettled(both);
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a kept state that is broken is one sentence, and the server starts", async () => {
  await mkdir(join(folder, ".kubeloop"), { mode: 0o755 });
  const statePath = join(folder, ".kubeloop/state.json");
  await writeFile(statePath, "{}");
  const [complaint, line] = await running({}, async (_, signal) => {
    expect((await loadClusterConfig({ path }, signal)).server).toMatch(/^https/);
  });
  expect(complaint).toBe(
    `kubeloop: ${statePath}: it is not what \`up\` writes there; a new authority and token were made, so clients need the new kubeconfig\n`,
  );
  expect(ready(line).kubeconfig).toBe(path);
});

const idle = async () => {};
const gone = () => expect(lstat(path)).rejects.toThrow("ENOENT");

describe("whatever keeps it from starting is one sentence", () => {
  for (const [what, prepare, sentence] of [
    [
      "a file in the place of its folder",
      () => writeFile(join(folder, ".kubeloop"), ""),
      () => `up: cannot write ${path}: there is something in the way that is no folder; run this in another folder`,
    ],
    [
      "a folder in the place of its kubeconfig",
      () => mkdir(path, { recursive: true }),
      () => `up: ${path} is a folder; remove it, or run this in another folder`,
    ],
    [
      "a link to nowhere in the place of its folder",
      () => symlink(join(folder, "nowhere/at/all"), join(folder, ".kubeloop")),
      () => `up: cannot write ${join(folder, ".kubeloop")}: `,
    ],
  ] as const) {
    test(what, async () => {
      await prepare();
      const ended = running({}, idle);
      await expect(ended).rejects.toThrow(UsageError);
      await expect(ended).rejects.toThrow(sentence());
    });
  }

  test("a port that is none", async () => {
    await expect(running({ port: 70_000 }, idle)).rejects.toThrow(UsageError);
  });
});

describe("a kubeconfig that is there already", () => {
  test("of a server that still runs is left to it", async () => {
    await running({}, async ([line], signal) => {
      const { server } = ready(line);
      const before = await readFile(path, "utf8");
      const fault = `up: ${path} leads to a server that still runs, ${server}; stop it first, or run this in another folder`;
      await expect(running({}, idle)).rejects.toEqual(new UsageError(fault));
      expect(await readFile(path, "utf8")).toBe(before);
      expect((await loadClusterConfig({ path }, signal)).server).toBe(server);
    });
    await gone();
  });

  test("of a server that is gone is replaced, even if another one has its port", async () => {
    let left = "";
    let port = 0;
    await running({}, async ([line]) => {
      left = await readFile(path, "utf8");
      port = Number(new URL(ready(line).server).port);
    });
    await writeFile(path, left);
    await rm(join(folder, ".kubeloop/state.json"));
    await running({ port }, async ([line], signal) => {
      expect(await readFile(path, "utf8")).not.toBe(left);
      expect((await loadClusterConfig({ path }, signal)).server).toBe(ready(line).server);
    });
    await gone();
  });

  test("of a server that was killed is replaced by the next one on its port, which has the same authority", async () => {
    let left = "";
    let port = 0;
    await running({}, async ([line]) => {
      left = await readFile(path, "utf8");
      port = Number(new URL(ready(line).server).port);
    });
    await writeFile(path, left);
    await running({ port }, async ([line], signal) => {
      expect((await loadClusterConfig({ path }, signal)).server).toBe(ready(line).server);
    });
    await gone();
  });

  for (const content of ["", "no: [yaml", '{"clusters":[{"name":"a","cluster":{"server":"https://127.0.0.1:1"}}]}']) {
    test(`and is no kubeconfig of ours (${JSON.stringify(content)}) is replaced`, async () => {
      await mkdir(join(folder, ".kubeloop"));
      await writeFile(path, content, { mode: 0o644 });
      await running({}, async () => {
        expect((await stat(path)).mode & 0o777).toBe(0o600);
        expect(await readFile(path, "utf8")).toContain("kubeloop-admin");
      });
    });
  }

  test("as a link is replaced and not followed", async () => {
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, "precious");
    await mkdir(join(folder, ".kubeloop"));
    await symlink(elsewhere, path);
    await running({}, async () => {
      expect((await lstat(path)).isFile()).toBe(true);
    });
    expect(await readFile(elsewhere, "utf8")).toBe("precious");
    await gone();
  });

  test("of somebody else in the end is not taken away", async () => {
    await running({}, async () => {
      await rm(path);
      await writeFile(path, "another's");
    });
    expect(await readFile(path, "utf8")).toBe("another's");
  });
});

describe("without a word of farewell", () => {
  test("it stops in order when its terminal goes away", async () => {
    const printed: string[] = [];
    const print = (text: string) => {
      printed.push(text);
      host.emit("SIGHUP");
    };
    const options = { ...inJson, output: "text" } as const;
    const { signal } = new AbortController();
    await up(options, { folder, clock: systemClock, host, print, complain: print }, signal);
    expect(printed).toHaveLength(1);
    await gone();
    expect([host.listenerCount("SIGHUP"), host.listenerCount("exit")]).toEqual([0, 0]);
  });

  test("it takes its kubeconfig away at once when the process exits", async () => {
    await running({}, async () => {
      host.emit("exit");
      await gone();
    });
  });

  test("it writes nothing when it is stopped before it has begun", async () => {
    const signal = AbortSignal.abort();
    const print = (text: string) => expect.fail(text);
    await up(inJson, { folder, clock: systemClock, host, print, complain: print }, signal);
    await gone();
  });
});
