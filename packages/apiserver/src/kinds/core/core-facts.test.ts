// What was recorded of a real server (facts/) is what this one does. `core-facts.kubernetes.test.ts` asks the real one again.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { askFact, factFiles, leftOutPlugins, readFacts } from "./facts/facts.fixture.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.open({
    clock: new FakeClock(),
    random: seededRandom(1),
    disableAdmissionPlugins: leftOutPlugins,
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

describe.each(factFiles)("%s", (file) => {
  test.each(readFacts(file))("$it", async (fact) => {
    expect(await askFact(server.transport, fact)).toEqual(fact.answer);
  });
});
