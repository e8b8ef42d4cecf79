// What a real server answered to the stories of kinds (recorded-answers.jsonl) is what this one answers.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { readRecorded, recordedScenes, shortAnswer } from "./recorded-answers.contract.ts";
import { runScenes } from "./run-script.contract.ts";

const recorded = readRecorded();

test("every step was recorded", async () => {
  const titles = recordedScenes.flatMap(({ name, steps }) =>
    steps.flatMap((step) => (typeof step === "function" ? [] : [`${name}: ${step.title}`])),
  );
  expect(titles.filter((title) => !Object.hasOwn(recorded, title))).toEqual([]);
});

test.each(recordedScenes.map((scene) => [scene.name, scene] as const))("%s", async (_, scene) => {
  await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  const answers = await runScenes(server.transport, [scene], new AbortController().signal);
  const short = Object.fromEntries(
    [...answers].map(([step, answer]) => [step, shortAnswer(answer, answer.namespace)] as const),
  );
  const expected = Object.fromEntries(Object.keys(short).map((step) => [step, recorded[step]]));
  expect(short).toEqual(expected);
});
