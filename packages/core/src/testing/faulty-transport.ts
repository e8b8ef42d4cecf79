// Injects faults between a client and a server, for tests. It uses the fault rules of `@kubeloop/core/api` with a fixed seed, so that every run
// is the same without a seed from the test.
//
//   const { client, injected } = faultyClient(server.transport, [
//     { name: "lost", fault: { kind: "reset", when: "after" }, match: { verbs: ["create"] }, nth: [1] },
//   ], { clock });
import { type FaultOptions, type FaultRule, type FaultyTransport, type Transport, withFaults } from "../api/index.ts";
import { noLog, type Random, seededRandom } from "../base/index.ts";
import { type Client, clientOf } from "../client/index.ts";

export interface FaultyTransportOptions extends Omit<FaultOptions, "random"> {
  /** The source of random numbers; one with a fixed seed unless given. */
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
  // Nothing is logged, because the failures are intended. `injected` has them.
  return { client: clientOf(faulty, { clock: options.clock, log: noLog }), injected: faulty.injected };
}
