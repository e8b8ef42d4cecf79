// Exec and attach on a WebSocket, in the protocols that kubectl and its relatives speak: v5 and v4 (`v4.channel.k8s.io`), and the first one, which has no
// name. The first byte of a message is its channel; in the base64 variants it is a digit, and the rest is base64. v5 can also end one channel.
import { type ApiRequest, headerValue, type metav1, queryValue } from "@kubeloop/core/api";
import { Channel } from "@kubeloop/core/base";
import { WebSocket } from "./websocket.ts";

/** By the client's preference; "" if it names none. */
export const remoteCommandProtocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
];

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
/** In v5: the channel whose number follows has ended. */
const closeChannel = 255;

export interface StreamOptions {
  readonly hasStdin: boolean;
  readonly hasStdout: boolean;
  readonly hasStderr: boolean;
  readonly isTty: boolean;
}

export function parseStreamOptions({ query }: Pick<ApiRequest, "query">): StreamOptions {
  const has = (name: string) => ["true", "1"].includes(queryValue(query, name) ?? "");
  const isTty = has("tty");
  return { hasStdin: has("stdin"), hasStdout: has("stdout"), hasStderr: has("stderr") && !isTty, isTty };
}

/** The first protocol that the client offers and this file speaks; "" if it offers none, undefined if it speaks none of them. */
export function chooseProtocol({ headers }: Pick<ApiRequest, "headers">): string | undefined {
  const offered = (headerValue(headers, "sec-websocket-protocol") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return offered.length === 0 ? "" : offered.find((name) => remoteCommandProtocols.includes(name));
}

export class RemoteStreams {
  readonly socket = new WebSocket();
  readonly #options: StreamOptions;
  readonly #protocol: string;
  readonly #stdin = new Channel<Uint8Array>(64);

  constructor(options: StreamOptions, protocol: string) {
    this.#options = options;
    this.#protocol = protocol;
  }

  /** Takes in what the client sends, until it has gone. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const message = await this.socket.read(signal);
        if (message === undefined) return;
        const { channel, payload } = this.#decode(message);
        if (channel === closeChannel && payload[0] === channels.stdin) this.#stdin.close();
        const isInput = channel === channels.stdin && payload.length > 0 && this.#options.hasStdin;
        if (isInput && !this.#stdin.isClosed) await this.#stdin.send(payload, signal);
      }
    } finally {
      this.#stdin.close();
    }
  }

  /** The next piece of the input; undefined at its end. Without input: at once. */
  async read(signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (!this.#options.hasStdin) return undefined;
    return (await this.#stdin.receive(signal))?.value;
  }

  /** A terminal has one output; what nobody asked for is dropped. */
  async write(stream: "stdout" | "stderr", text: string, signal: AbortSignal): Promise<void> {
    const { isTty, hasStdout, hasStderr } = this.#options;
    const to = isTty ? "stdout" : stream;
    if (to === "stdout" ? hasStdout : hasStderr) await this.#send(channels[to], Buffer.from(text), signal);
  }

  /** An empty message shows that the connection is there; clients drop it. */
  async greet(signal: AbortSignal): Promise<void> {
    const { hasStdout, hasStderr } = this.#options;
    const lowest = hasStdout ? channels.stdout : hasStderr ? channels.stderr : channels.error;
    await this.#send(lowest, new Uint8Array(), signal);
  }

  /** Says how it has ended, and closes. The first protocol says nothing of a success, and of a failure only its text. */
  async finish(status: CommandStatus, signal: AbortSignal): Promise<void> {
    const isOld = !/^v[45]\./.test(this.#protocol);
    const text = isOld ? (status.status === "Success" ? "" : (status.message ?? "")) : JSON.stringify(status);
    if (text !== "") await this.#send(channels.error, Buffer.from(text), signal);
    await this.socket.close(signal);
  }

  get #isBase64(): boolean {
    return this.#protocol.includes("base64");
  }

  #decode(message: Uint8Array): { readonly channel: number; readonly payload: Uint8Array } {
    const [first = channels.resize, payload] = [message[0], message.subarray(1)];
    if (!this.#isBase64) return { channel: first, payload };
    return { channel: first - 0x30, payload: Buffer.from(Buffer.from(payload).toString("latin1"), "base64") };
  }

  async #send(channel: number, payload: Uint8Array, signal: AbortSignal): Promise<void> {
    if (this.#isBase64) {
      const text = `${channel}${Buffer.from(payload).toString("base64")}`;
      await this.socket.send(Buffer.from(text), { isText: true }, signal);
    } else await this.socket.send(Buffer.concat([Buffer.from([channel]), payload]), {}, signal);
  }
}

/** As a kubelet writes it: without kind and version. */
export type CommandStatus = Omit<metav1.Status, "apiVersion" | "kind">;

export const successStatus: CommandStatus = { metadata: {}, status: "Success" };

/** As a kubelet reports the end of a command; kubectl ends with the code. */
export function exitStatus(exitCode: number): CommandStatus {
  if (exitCode === 0) return successStatus;
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  };
}

/** As a kubelet reports that a command could not be run at all. */
export function executionFailure(message: string): CommandStatus {
  return {
    metadata: {},
    status: "Failure",
    message: `Internal error occurred: error executing command in container: ${message}`,
    reason: "InternalError",
    details: { causes: [{ message: `error executing command in container: ${message}` }] },
    code: 500,
  };
}
