// The packages as users get them: packed, installed into an empty folder, and used by import, by require, under plain Jest
// and by the compiler. What is packed is what `npm run build` left in dist.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentedCommands } from "./documented-commands.ts";
import { exportedNames, listSubpaths } from "./public-names.ts";
import { packageNames, repositoryRoot } from "./repository.ts";

const tool = (path: string) => join(repositoryRoot, "node_modules", path);
const isTypeName = (name: string) => name.startsWith("type ");

/** What each subpath should have at run time, by the reviewed record's own reading of the sources. */
const expectedNames: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  listSubpaths().map(({ specifier, source }) => [
    specifier,
    exportedNames(readFileSync(join(repositoryRoot, source), "utf8")).filter((name) => !isTypeName(name)),
  ]),
);

let folder: string;
let app: string;
const tarballs = new Map<string, string>();

function run(args: readonly string[], cwd: string): string {
  try {
    return execFileSync(process.execPath, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args.join(" ")} failed\n${stdout}\n${stderr}`);
  }
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubeloop-packaging-"));
  for (const name of packageNames) {
    const [packed] = JSON.parse(
      npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], join(repositoryRoot, "packages", name)),
    ) as { filename: string }[];
    tarballs.set(name, join(folder, (packed?.filename ?? "").replace("@", "").replace("/", "-")));
  }
  app = join(folder, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  npm(["install", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs.values()], app);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(packageNames)("%s", (name) => {
  test("publint has nothing to say", async () => {
    const tarball = readFileSync(tarballs.get(name) ?? "");
    const bytes = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) as ArrayBuffer;
    const { messages, pkg } = await publint({ strict: true, level: "suggestion", pack: { tarball: bytes } });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("the types are right for every way of importing", () => {
    // Resolution of Node 10 does not read `exports`; Node 20.19 is the floor.
    const attw = tool("@arethetypeswrong/cli/dist/index.js");
    run([attw, "--profile", "node16", "--format", "ascii", tarballs.get(name) ?? ""], folder);
  });

  test("holds its licence and readme, no sources, tests or build information", () => {
    const manifest = JSON.parse(readFileSync(join(repositoryRoot, "packages", name, "package.json"), "utf8")) as {
      name: string;
    };
    const files = listTree(join(app, "node_modules", manifest.name));
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist/cjs/package.json"]));
    expect(
      files.filter(
        (path) =>
          !/^(LICENSE|README\.md|package\.json|dist\/bundle\/.*\.js(\.map)?|dist\/(esm|cjs)\/.*\.d\.ts|dist\/(bundle\/)?cjs\/package\.json)$/.test(
            path,
          ) || /\.test\./.test(path),
      ),
    ).toEqual([]);
  });
});

const specifiers = Object.keys(expectedNames);
const collect = `const names = {}; for (const s of ${JSON.stringify(specifiers)})`;
const sortedKeys =
  "Object.keys(m).filter((k) => k !== 'module.exports' && k !== '__esModule' && k !== 'default').sort()";

describe("installed into an empty folder", () => {
  test("stacks name our sources", () => {
    const script = `import { newOwnerReference } from "@kubeloop/core/api";
try { newOwnerReference({ kind: "A", metadata: {} }); } catch (error) { console.log(error.stack); }`;
    writeFileSync(join(app, "stack.mjs"), script);
    writeFileSync(
      join(app, "stack.cjs"),
      `const { newOwnerReference } = require("@kubeloop/core/api");\n${script.split("\n")[1]}`,
    );
    for (const file of ["stack.mjs", "stack.cjs"]) {
      expect(run(["--enable-source-maps", file], app)).toMatch(
        /newOwnerReference .*src\/api\/owner-references\.ts:\d+/,
      );
    }
  });

  test("works by import", () => {
    writeFileSync(
      join(app, "by-import.mjs"),
      `${collect} { const m = await import(s); names[s] = ${sortedKeys}; } console.log(JSON.stringify(names));`,
    );
    expect(JSON.parse(run(["by-import.mjs"], app))).toEqual(expectedNames);
  });

  test("works by require, and gives the same copy as import", () => {
    writeFileSync(
      join(app, "by-require.cjs"),
      `${collect} { const m = require(s); names[s] = ${sortedKeys}; }
       import("@kubeloop/core/base").then((m) => console.log(JSON.stringify({ names, isSame: m.KubeloopError === require("@kubeloop/core/base").KubeloopError })));`,
    );
    expect(JSON.parse(run(["--no-warnings", "by-require.cjs"], app))).toEqual({ names: expectedNames, isSame: true });
  });

  test("works under plain Jest, from the CommonJS build", () => {
    const jestApp = join(folder, "jest-app");
    mkdirSync(jestApp);
    cpSync(join(app, "node_modules"), join(jestApp, "node_modules"), { recursive: true });
    writeFileSync(join(jestApp, "package.json"), JSON.stringify({ name: "jest-app", private: true }));
    writeFileSync(
      join(jestApp, "use.test.js"),
      `const expected = ${JSON.stringify(expectedNames)};
       test.each(Object.keys(expected))("%s", (s) => { const m = require(s); expect(${sortedKeys}).toEqual(expected[s]); });
       test("the build is CommonJS", () => expect(require.resolve("@kubeloop/core/base")).toMatch(/dist.bundle.cjs/));
       test("it works", async () => {
         const { FakeClock } = require("@kubeloop/core/base");
         const { pods } = require("@kubeloop/core/resources");
         const clock = new FakeClock();
         await clock.drive(clock.sleep(5000, new AbortController().signal));
         expect([clock.monotonic(), pods.plural]).toEqual([5000, "pods"]);
       });`,
    );
    writeFileSync(join(jestApp, "jest.config.json"), "{}");
    const output = join(jestApp, "report.json");
    run(
      [
        tool("jest/bin/jest.js"),
        "--rootDir",
        jestApp,
        "--config",
        join(jestApp, "jest.config.json"),
        "--ci",
        "--json",
        "--outputFile",
        output,
      ],
      jestApp,
    );
    const report = JSON.parse(readFileSync(output, "utf8")) as { numPassedTests: number; numFailedTests: number };
    expect(report).toMatchObject({ numPassedTests: specifiers.length + 2, numFailedTests: 0 });
  });

  const consumer = `
    import type { corev1, ObjectOf } from "@kubeloop/core/api";
    import { pods } from "@kubeloop/core/resources";
    import type { Deployment } from "@kubeloop/core/types/apps/v1";
    import { type Clock, systemClock } from "@kubeloop/core/base";
    const clock: Clock = systemClock;
    const pod: ObjectOf<typeof pods> = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "c" }] } };
    const same: corev1.Pod = pod;
    const replicas = (deployment: Deployment): number => deployment.spec?.replicas ?? 1;
    // @ts-expect-error what comes from a cache is read-only
    same.metadata.name = "b";
    export const used = [clock, same, replicas];
  `;
  for (const [how, file, options] of [
    ["an ES module on Node", "consumer.mts", { module: "nodenext", moduleResolution: "nodenext" }],
    ["a CommonJS module on Node", "consumer.cts", { module: "nodenext", moduleResolution: "nodenext" }],
    ["a bundler", "consumer.ts", { module: "esnext", moduleResolution: "bundler" }],
  ] as const) {
    test(`type-checks in ${how}`, () => {
      const project = join(app, file.replace(".", "-"));
      mkdirSync(project);
      writeFileSync(join(project, file), consumer);
      const compilerOptions = {
        ...options,
        strict: true,
        noEmit: true,
        target: "es2022",
        lib: ["es2022", "esnext.disposable", "dom"],
        types: [],
        skipLibCheck: false,
      };
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
      run([tool("typescript/bin/tsc"), "-p", project], app);
    });
  }

  for (const kind of ["mts", "cts"] as const) {
    test(`type-checks as .${kind} with ES2022 and @types/node alone: no DOM, no esnext.disposable, libraries checked, too`, () => {
      const project = join(folder, `types-${kind}`);
      mkdirSync(project);
      cpSync(join(app, "node_modules"), join(project, "node_modules"), { recursive: true });
      // What the optional peer dependency stands for: the oldest types that are supported, which are this repository's own.
      for (const name of ["@types/node", "undici-types"])
        cpSync(tool(name), join(project, "node_modules", name), { recursive: true });
      const imports = specifiers
        .filter((specifier) => !needsPeer.some((peer) => specifier.endsWith(`/${peer}`)))
        .map((specifier, i) => `import * as m${i} from ${JSON.stringify(specifier)};\nexport const used${i} = m${i};`);
      writeFileSync(join(project, `consumer.${kind}`), `${imports.join("\n")}\n${lifeOfAServer(kind)}`);
      const compilerOptions = {
        module: "nodenext",
        strict: true,
        noEmit: true,
        target: "ES2022",
        lib: ["ES2022"],
        types: ["node"],
        skipLibCheck: false,
      };
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [`consumer.${kind}`] }));
      run([tool("typescript/bin/tsc"), "-p", project], project);
    });
  }

  test("brings the kubeloop command", () => {
    const bin = join(app, "node_modules/kubeloop/dist/bundle/esm/cli.js");
    expect(run([bin, "api-resources", "-o", "name"], app)).toContain("deployments.apps\n");
    expect(readdirSync(join(app, "node_modules/.bin"))).toContain("kubeloop");
  });

  test("a reader that leaves early makes the command end quietly", () => {
    const bin = join(app, "node_modules/kubeloop/dist/bundle/esm/cli.js");
    const piped = `"${process.execPath}" "${bin}" api-resources -o json | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const shell = spawnSync("bash", ["-c", piped], { encoding: "utf8" });
    expect([shell.stdout, shell.stderr]).toEqual(["[\n0\n", ""]);
  });

  test("core with its dependencies takes less than 8 MB", () => {
    const coreApp = join(folder, "core-app");
    mkdirSync(coreApp);
    writeFileSync(join(coreApp, "package.json"), JSON.stringify({ name: "core-app", private: true }));
    npm(["install", "--no-audit", "--no-fund", "--prefer-offline", tarballs.get("core") ?? ""], coreApp);
    const modules = join(coreApp, "node_modules");
    const bytes = listTree(modules).reduce((sum, path) => sum + statSync(join(modules, path)).size, 0);
    expect(bytes).toBeLessThan(8 * 1024 * 1024);
  });
});

describe("in the repository", () => {
  test("npm start runs an API server, says where it is, and ends in order when told to", async () => {
    // In a group of its own, so that npm's shell and what it runs get the signal, as from a terminal.
    const child = spawn("npm", ["start", "--silent", "--", "--port", "0", "--json"], {
      cwd: repositoryRoot,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ready = JSON.parse((await lines.next()).value as string) as { server: string; kubeconfig: string };
    expect(ready.server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(readFileSync(ready.kubeconfig, "utf8")).toContain(ready.server);
    for (const [command, runner] of Object.entries(documentedCommands)) {
      if (runner.by === "beside-start") expect(await firstLineOf(command), command).toMatch(runner.prints);
    }
    process.kill(-(child.pid as number), "SIGINT");
    expect(JSON.parse((await lines.next()).value as string)).toEqual({ event: "stopping" });
    await ended;
    expect(existsSync(ready.kubeconfig)).toBe(false);
  });

  for (const [command, runner] of Object.entries(documentedCommands)) {
    if (runner.by !== "packaging") continue;
    test(`the documents' \`${command}\` works`, () => {
      const printed = execFileSync(command, { cwd: repositoryRoot, encoding: "utf8", shell: true });
      expect(printed).toMatch(runner.prints);
    });
  }
});

/** Adapters for what their users install themselves. */
const needsPeer = ["pino", "prom-client"];

/** What is disposable is so for the compiler, too. */
const lifeOfAServer = (kind: "mts" | "cts") => `
  import { ApiServer } from "@kubeloop/apiserver";
  export async function open(signal: AbortSignal): Promise<number> {
    await using server = await ApiServer.open();
    await using listening = await server.listen();
    signal.throwIfAborted();
    return listening.port;
  }
  export const kind = ${JSON.stringify(kind)};
`;

/** Runs it in a group of its own, and interrupts that once it has printed a line. */
async function firstLineOf(command: string): Promise<string> {
  const child = spawn(command, {
    cwd: repositoryRoot,
    shell: true,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  process.kill(-(child.pid as number), "SIGINT");
  await ended;
  return String(value);
}

function listTree(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
