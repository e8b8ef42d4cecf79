// What was recorded of a real server (facts/) is what this one does. `workload-facts.kubernetes.test.ts` asks the real one again.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { askFact, factFiles, leftOutPlugins, readFacts } from "./facts/workload-facts.fixture.ts";

let server: ApiServer;
beforeAll(async () => {
  const clock = new FakeClock({ wallMs: Date.UTC(2025, 0, 1) });
  server = await ApiServer.open({ clock, random: seededRandom(1), disableAdmissionPlugins: leftOutPlugins });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

describe.each(factFiles)("%s", (file) => {
  const { base, facts } = readFacts(file);
  test.each(facts)("$it", async (fact) => {
    expect(await askFact(server.transport, fact, base)).toEqual(fact.answer);
  });
});
