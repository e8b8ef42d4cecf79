// The implementations of ports, by name: made in the composition root, called here only.
import { KubeloopError } from "../base/index.ts";
import type { Port } from "../contract/index.ts";

export type PortImplementation = (request: unknown, signal: AbortSignal) => Promise<unknown>;

export class Ports {
  readonly #byName = new Map<string, PortImplementation>();

  /** The last one given counts. */
  implement<Request, Answer>(
    port: Port<Request, Answer>,
    call: (request: Request, signal: AbortSignal) => Promise<Answer>,
  ): this {
    this.#byName.set(port.name, (request, signal) => call(request as Request, signal));
    return this;
  }

  /** Those nobody has implemented. */
  missing(ports: readonly Port[]): readonly string[] {
    return ports.map(({ name }) => name).filter((name) => !this.#byName.has(name));
  }

  async call(port: Port, request: unknown, signal: AbortSignal): Promise<unknown> {
    const call = this.#byName.get(port.name);
    if (call === undefined) {
      throw new KubeloopError(`port "${port.name}" is not implemented: use Ports.implement`, {
        reason: "NoPort",
        retry: "never",
      });
    }
    return await call(request, signal);
  }
}
