// What the embedded server loads, and when: opened and asked for JSON it has nothing of what that does not need; who asks for more gets it
// loaded then. Sources are loaded by a loader of the test's own, which knows what it has loaded.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createViteServer } from "vitest/node";
import { repositoryRoot } from "./repository.ts";

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly kind: "none" } | { readonly kind: "bytes"; readonly bytes: Uint8Array };
  readonly prefers: "bytes" | "values";
}

interface Server extends AsyncDisposable {
  transport(request: Request, signal: AbortSignal): Promise<{ readonly status: number; readonly body: Body }>;
  listen(): Promise<AsyncDisposable>;
}

type Body =
  | { readonly kind: "bytes"; readonly bytes: AsyncIterable<Uint8Array> }
  | { readonly kind: "value" | "values" };

/** Loads sources as the program would, from here on remembering which. */
class Loader implements AsyncDisposable {
  readonly #vite: Awaited<ReturnType<typeof createViteServer>>;

  private constructor(vite: Awaited<ReturnType<typeof createViteServer>>) {
    this.#vite = vite;
  }

  static async open(): Promise<Loader> {
    const vite = await createViteServer({
      root: repositoryRoot,
      configFile: join(repositoryRoot, "vitest.config.ts"),
      logLevel: "error",
      appType: "custom",
      server: { middlewareMode: true, hmr: false, ws: false, watch: null },
      optimizeDeps: { noDiscovery: true },
      // `using` is not known to every Node we support.
      oxc: { target: "es2022" },
    });
    return new Loader(vite);
  }

  async load<T>(file: string): Promise<T> {
    return (await this.#vite.ssrLoadModule(join(repositoryRoot, file))) as T;
  }

  /** Files of ours, from the repository's root. */
  get files(): readonly string[] {
    return this.#loaded().map(({ id }) => id.slice(repositoryRoot.length + 1));
  }

  /** Other packages, and parts of Node, that loaded files import before they run. */
  get foreign(): readonly string[] {
    const eager = this.#loaded().flatMap(({ deps }) => deps);
    return [...new Set(eager.filter((name) => !name.startsWith("/") && !name.startsWith(".")))].sort();
  }

  #loaded(): readonly { readonly id: string; readonly deps: readonly string[] }[] {
    const { idToModuleMap } = this.#vite.environments.ssr.moduleGraph;
    return [...idToModuleMap].flatMap(([id, { transformResult }]) =>
      transformResult === null ? [] : [{ id, deps: transformResult.deps ?? [] }],
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#vite.close();
  }
}

const signal = new AbortController().signal;
const get = (path: string, accept = "application/json"): Request => ({
  method: "GET",
  path,
  query: [],
  headers: { accept },
  body: { kind: "none" },
  prefers: "bytes",
});
const post = (path: string, type: string, text: string): Request => ({
  ...get(path),
  method: "POST",
  headers: { accept: "application/json", "content-type": type },
  body: { kind: "bytes", bytes: Buffer.from(text) },
});

/** What must wait until it is asked for, and what asks for it. */
const lazy: readonly (readonly [what: string, pattern: RegExp, ask: (server: Server) => Promise<unknown>])[] = [
  [
    "YAML",
    /wire\/decode\/yaml\.ts$/,
    (server) =>
      read(server, post("/api/v1/namespaces/default/configmaps", "application/yaml", "metadata: {name: from-yaml}\n")),
  ],
  [
    "protobuf and its table",
    /wire\/protobuf\/|generated\/protobuf-table\.ts$/,
    (server) => read(server, get("/api/v1/namespaces/default", "application/vnd.kubernetes.protobuf")),
  ],
  ["OpenAPI documents", /generated\/openapi-documents\.ts$/, (server) => read(server, get("/openapi/v3"))],
  [
    "sockets, credentials and certificates",
    /apiserver\/src\/serving\//,
    async (server) => {
      await using _listening = await server.listen();
    },
  ],
];

let loader: Loader;
let server: Server;
beforeAll(async () => {
  loader = await Loader.open();
  const { ApiServer } = await loader.load<{ readonly ApiServer: { open(): Promise<Server> } }>(
    "packages/apiserver/src/index.ts",
  );
  server = await ApiServer.open();
  const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "none" }] } };
  await read(server, post("/api/v1/namespaces/default/pods", "application/json", JSON.stringify(pod)));
  await read(server, get("/api/v1/namespaces/default/pods/web"));
  await read(server, get("/api/v1/pods"));
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await loader?.[Symbol.asyncDispose]();
});

describe("a server that was opened, and asked for JSON", () => {
  test("has loaded what it needs", () => {
    expect(loader.files).toContain("packages/apiserver/src/kinds/core/pod.ts");
    expect(loader.files).toContain("packages/apiserver/src/wire/decode/parse-json.ts");
  });

  test("needs of other packages and of Node no more than this", () => {
    const cheap = ["node:buffer", "node:crypto", "node:events", "node:net", "node:path", "node:util", "node:zlib"];
    expect(loader.foreign.filter((name) => !cheap.includes(name))).toEqual([]);
  });

  test("has nothing of core but base, api and rules", () => {
    const layers = loader.files.flatMap((file) => /^packages\/core\/src\/([^/]+)/.exec(file)?.[1] ?? []);
    expect([...new Set(layers)].sort()).toEqual(["api", "base", "rules"]);
  });
});

// Each after the one before has been loaded: what one asks for must not bring another.
for (const [i, [what, pattern, ask]] of lazy.entries()) {
  test(`${what}: loaded when asked for, not before`, async () => {
    const later = lazy.slice(i);
    for (const [name, each] of later)
      expect(
        loader.files.filter((file) => each.test(file)),
        name,
      ).toEqual([]);
    await ask(server);
    expect(loader.files.filter((file) => pattern.test(file))).not.toEqual([]);
  });
}

async function read(asked: Server, request: Request): Promise<void> {
  const { status, body } = await asked.transport(request, signal);
  if (body.kind === "bytes") for await (const _ of body.bytes);
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status}`);
}
