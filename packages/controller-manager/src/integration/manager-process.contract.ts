// Our kube-controller-manager as a child process: the bundle that the build made, its log as it is written, its end, and requests to its
// endpoints. A test waits for what the process logs or for its end; a process that ends while its log is waited for fails the test with
// that log. Disposing of it kills it.
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { request } from "node:https";
import { createServer } from "node:net";
import type { ConnectionOptions, SecureContextOptions, TLSSocket } from "node:tls";
import { ourManager } from "./our-manager.contract.ts";

export interface ManagerProcessOptions {
  /** Its whole environment; only PATH unless given. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its path and first arguments; our manager's unless given. */
  readonly command?: readonly [path: string, ...args: readonly string[]];
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ManagerProcess implements AsyncDisposable {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  #stdout = "";
  #stderr = "";
  #exit: Exit | undefined;

  constructor(args: readonly string[], { env = {}, cwd, command = ourManager.command }: ManagerProcessOptions = {}) {
    const [path, ...first] = command;
    this.#child = spawn(path, [...first, ...args], {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
      this.#tell();
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
      this.#tell();
    });
    this.exited = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      // "close" comes after the last of its output.
      this.#child.once("close", (code, signal) => {
        this.#exit = { code, signal };
        this.#tell();
        resolve(this.#exit);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The lines of both streams; upstream's processes log to stderr, too. */
  get lines(): readonly string[] {
    return `${this.#stdout}${this.#stderr}`.split("\n").filter((line) => line !== "");
  }

  /** Resolves with the first line that has all these texts, the past included. */
  async logged(...texts: readonly string[]): Promise<string> {
    for (;;) {
      const line = this.lines.find((one) => texts.every((text) => one.includes(text)));
      if (line !== undefined) return line;
      if (this.#exit !== undefined) {
        throw new Error(
          `the manager ended with ${JSON.stringify(this.#exit)} before it logged ${texts.join(" … ")}:\n${this.lines.slice(-30).join("\n")}`,
        );
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#exit === undefined) this.#child.kill("SIGKILL");
    await this.exited;
  }

  #tell(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

export interface EndpointRequest
  extends Pick<
    SecureContextOptions & ConnectionOptions,
    "ca" | "cert" | "key" | "ciphers" | "minVersion" | "maxVersion" | "servername"
  > {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface EndpointAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What the server showed. */
  readonly certificate: { readonly pem: string; readonly names: string };
  readonly tls: { readonly version: string; readonly cipher: string };
}

/** One request on a connection of its own. The certificate of the server is not verified unless `ca` is given. */
export function askEndpoint(
  port: number,
  path: string,
  { method = "GET", headers = {}, body, ...tls }: EndpointRequest = {},
): Promise<EndpointAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...tls,
        host: "127.0.0.1",
        port,
        path,
        method,
        headers,
        agent: false,
        rejectUnauthorized: tls.ca !== undefined,
      },
      async (response) => {
        const socket = response.socket as TLSSocket;
        const shown = socket.getPeerX509Certificate();
        const version = socket.getProtocol() ?? "";
        const cipher = socket.getCipher().name;
        try {
          let text = "";
          for await (const part of response.setEncoding("utf8")) text += part;
          const certificate = { pem: shown?.toString() ?? "", names: shown?.subjectAltName ?? "" };
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, body: text, headers: answered, certificate, tls: { version, cipher } });
        } catch (error) {
          reject(error);
        }
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

/** A port of 127.0.0.1 below the range from which the system takes ports for outgoing connections. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 20_999);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
