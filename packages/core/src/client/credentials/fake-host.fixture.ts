// A machine made of a table: files that a test may change at any time, an environment, commands that are functions. For
// tests; nothing of it touches the real one.
import type { Host, HostCommand, HostExit } from "./host.ts";

export interface FakeHostParts {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  /** What commands do; without it none is installed. */
  readonly spawn?: (command: HostCommand, signal: AbortSignal) => Promise<HostExit>;
}

export class FakeHost implements Host {
  readonly env: Readonly<Record<string, string>>;
  readonly files: Map<string, string>;
  /** The paths read, in order. */
  readonly reads: string[] = [];
  readonly commands: HostCommand[] = [];
  readonly #parts: FakeHostParts;

  constructor(parts: FakeHostParts = {}) {
    this.#parts = parts;
    this.env = parts.env ?? {};
    this.files = new Map(Object.entries(parts.files ?? {}));
  }

  homedir(): string {
    return "/home/me";
  }

  cwd(): string {
    return "/somewhere";
  }

  async readFile(path: string, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    this.reads.push(path);
    const text = this.files.get(path);
    if (text === undefined) throw missing(path);
    return text;
  }

  async replaceFile(path: string, content: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.files.set(path, content);
  }

  isStdinTerminal(): boolean {
    return this.#parts.isTerminal ?? false;
  }

  async spawn(command: HostCommand, signal: AbortSignal): Promise<HostExit> {
    signal.throwIfAborted();
    this.commands.push(command);
    if (this.#parts.spawn === undefined) throw missing(command.command);
    return await this.#parts.spawn(command, signal);
  }
}

function missing(path: string): Error {
  return Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
}
