// The simulation of informers on this server: one seed, with or without a bug planted in what it runs.
import {
  type OutOfReach,
  outOfAllReach,
  type SimulationResult,
  simulate as simulateOn,
} from "@kubeloop/simulation-suite";
import { openEmbeddedServer } from "./embedded-server.contract.ts";

export const folder = "packages/apiserver/src/integration/simulation/informer-simulation.test.ts";

export async function simulate(seed: number): Promise<SimulationResult> {
  return await simulateOn(seed, { open: openEmbeddedServer });
}

const oneServer = "there is one server, and it always knows the newest";
const asItIs = "it is a 1.36 server as it comes, and does not change its ways";

/** What this server never does, each with the reason. */
export const outOfReach: OutOfReach = {
  ...outOfAllReach,
  "another server is behind": oneServer,
  "another server is behind, and this one forgets": oneServer,
  "stream/unsupported": "it streams lists, always",
  "server streams lists": asItIs,
  "server streams lists slowly": asItIs,
  "server refuses to stream lists": asItIs,
  "server never ends streamed lists": asItIs,
  "bookmarks come often": asItIs,
  "bookmarks come rarely": asItIs,
  "expiry is told by status": asItIs,
  "expiry is told in the stream": asItIs,
  "lists come from the storage": asItIs,
  "lists come from the cache": asItIs,
};
