// The implementations of ports, by name. The composition root registers them; they are called only here.
import { KubeloopError } from "../base/index.ts";
import type { Port } from "../contract/index.ts";

export type PortImplementation = (request: unknown, signal: AbortSignal) => Promise<unknown>;

export class Ports {
  readonly #byName = new Map<string, PortImplementation>();

  /** Registers the implementation of a port. A later call for the same port replaces the earlier one. */
  implement<Request, Answer>(
    port: Port<Request, Answer>,
    call: (request: Request, signal: AbortSignal) => Promise<Answer>,
  ): this {
    this.#byName.set(port.name, (request, signal) => call(request as Request, signal));
    return this;
  }

  /** Returns the names of the ports that have no implementation. */
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
