// Two replicas of the controllers contend for a lease. Whoever leads is disturbed after a few requests of its controllers: killed (it sends
// nothing any more and gives nothing back), cut off (for up to 40 s its requests do not arrive, while its open watches go on) or stopped (it
// gives its lease back). A replica that has ended begins anew, with empty caches and another identity.
//
// Promise: a request of controllers that do not lead, or controllers that begin while others are still at work, fail the run.
import { type Transport, TransportError } from "@kubeloop/core/api";
import { KubeloopError, noLog, type SeededRandom, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { LeaderElector, LeaseLock } from "@kubeloop/core/election";
import { type Controllers, type RunningParts, runControllers, withoutLoops } from "./run-controllers.contract.ts";

const replicas = ["a", "b"];
const disturbances = ["killed", "cut off", "stopped"] as const;
const longestCutMs = 40_000;

export class Contention {
  readonly #parts: RunningParts;
  readonly #draw: SeededRandom;
  /** Who works at this moment. */
  readonly #working = new Set<string>();
  #disturbancesLeft: number;
  #terms = 0;

  constructor(leadersDisturbed: number, parts: RunningParts) {
    this.#disturbancesLeft = leadersDisturbed;
    this.#parts = parts;
    this.#draw = parts.random.fork("contention");
  }

  /** How often a replica began to lead. */
  get terms(): number {
    return this.#terms;
  }

  /** Until aborted; throws what ended a controller, and for two that work at once. */
  async run(controllers: Controllers, signal: AbortSignal): Promise<void> {
    const scope = new TaskScope(signal);
    for (const name of replicas) {
      void scope.spawn(async (each) => {
        for (let life = 1; !each.aborted; life++) await this.#live(`${name}-${life}`, controllers, each);
      });
    }
    await scope.join();
  }

  /** One process, from its start to its end. */
  async #live(identity: string, controllers: Controllers, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    // The signal is what a process is told (SIGTERM); a killed one is not told, but can send nothing.
    const life = new TaskScope(signal);
    let isDead = false;
    let cutUntilMs = 0;
    let requestsLeft = 2 + Math.floor(this.#draw.next() * 8);
    const network: Transport = (request, each) => {
      if (isDead || clock.monotonic() < cutUntilMs)
        throw new TransportError(`${identity} is cut off or dead`, { reason: "ConnectionReset", wasSent: "no" });
      return this.#parts.transport(request, each);
    };
    const disturb = () => {
      this.#disturbancesLeft--;
      const kind = disturbances[Math.floor(this.#draw.next() * disturbances.length)];
      if (kind === "cut off") cutUntilMs = clock.monotonic() + this.#draw.next() * longestCutMs;
      else {
        isDead = kind === "killed";
        if (isDead) this.#working.delete(identity);
        life.abort(new Error(`${identity} is ${kind}`));
      }
    };
    const ofController: Transport = async (request, each) => {
      if (!isDead && !this.#working.has(identity)) this.#accuse(`${identity} sends requests and does not lead`);
      const response = await network(request, each);
      if (--requestsLeft === 0 && this.#disturbancesLeft > 0) disturb();
      return response;
    };
    const elector = new LeaderElector({
      lock: new LeaseLock(clientOf(network, { clock }), { namespace: "kube-system", name: "controllers" }),
      identity,
      releaseOnStop: () => !isDead,
      clock,
      random: random.fork(identity),
      log: noLog,
    });
    const work = async ({ signal: leading }: { readonly signal: AbortSignal }) => {
      if (this.#working.size > 0) this.#accuse(`${identity} begins while ${[...this.#working]} is at work`);
      this.#working.add(identity);
      this.#terms++;
      try {
        const transport = withoutLoops(ofController, clock);
        await runControllers(controllers, { ...this.#parts, transport }, leading);
      } catch (error) {
        if (!leading.aborted) throw error;
      } finally {
        this.#working.delete(identity);
      }
    };
    void life.spawn((each) => elector.run({ onStartedLeading: work }, each));
    try {
      await life.join();
    } catch (error) {
      if (!life.signal.aborted) throw error;
    }
  }
  /** Not thrown: a controller would try again. */
  #accuse(message: string): void {
    this.#parts.panics.push(new KubeloopError(message, { reason: "Contention", retry: "never" }));
  }
}
