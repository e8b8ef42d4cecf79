// Faults on purpose between a client and a server, for tests: the fault rules of `@kubeloop/core/api` with a seed of their own, so that
// a run repeats without anything being passed in.
//
//   const { client, injected } = faultyClient(server.transport, [
//     { name: "lost", fault: { kind: "reset", when: "after" }, match: { verbs: ["create"] }, nth: [1] },
//   ], { clock });
import { type FaultOptions, type FaultRule, type FaultyTransport, type Transport, withFaults } from "../api/index.ts";
import { noLog, type Random, seededRandom } from "../base/index.ts";
import { type Client, clientOf } from "../client/index.ts";

export interface FaultyTransportOptions extends Omit<FaultOptions, "random"> {
  /** Where chance comes from; from one and the same seed unless given. */
  readonly random?: Random;
}

export function faultyTransport(
  transport: Transport,
  rules: readonly FaultRule[],
  options: FaultyTransportOptions,
): FaultyTransport {
  return withFaults(transport, rules, { random: seededRandom("faults"), ...options });
}

export interface FaultyClient extends Pick<FaultyTransport, "injected"> {
  readonly client: Client;
}

export function faultyClient(
  transport: Transport,
  rules: readonly FaultRule[],
  options: FaultyTransportOptions,
): FaultyClient {
  const faulty = faultyTransport(transport, rules, options);
  // What goes wrong is meant to: `injected` has it.
  return { client: clientOf(faulty, { clock: options.clock, log: noLog }), injected: faulty.injected };
}
