// Our manager on a real server, killed (SIGKILL) five times in each scenario in the midst of a request, and started again: what it leaves is what a
// manager leaves that nobody disturbs, and it has created no pod twice. Which requests those are is drawn from a seed; KUBELOOP_SEED gives another.
// A scenario that is over before is run again, in another namespace.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { randomBelow, type SeededRandom, seededRandom, systemClock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { RealCluster } from "@kubeloop/real-cluster";
import { allScenarios, type Scenario } from "@kubeloop/scenarios";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InFlightChoice, InFlightProxy } from "./in-flight-proxy.contract.ts";
import { managerFlags } from "./manager-flags.contract.ts";
import { type NormalForm, normalForm } from "./normal-form.contract.ts";
import { ourManager } from "./our-manager.contract.ts";
import { adminClient, dualStackFlags, runOnRealCluster } from "./scenario-on-real-cluster.contract.ts";
import { AuditLog } from "./write-requests.contract.ts";

const { signal } = new AbortController();
const manager = "kube-controller-manager";
const managerUser = "system:kube-controller-manager";
const killsPerScenario = 5;
const seed = process.env["KUBELOOP_SEED"] ?? "1";

interface Side {
  readonly cluster: RealCluster;
  readonly client: Client;
  readonly audit: AuditLog;
  readonly proxy?: InFlightProxy;
}

async function openSide({ isKilled }: { readonly isKilled: boolean }): Promise<Side> {
  const audit = await AuditLog.open();
  const extraFlags = { "kube-apiserver": [...audit.flags, ...dualStackFlags] };
  const cluster = await RealCluster.start({ users: [{ user: managerUser }], extraFlags }, signal);
  const flags = [...managerFlags];
  const side = { cluster, client: adminClient(cluster), audit };
  if (!isKilled) {
    await cluster.runManager(ourManager, flags, signal);
    return side;
  }
  const proxy = await InFlightProxy.open(cluster);
  const kubeconfig = join(cluster.folder, "through-the-proxy.kubeconfig");
  const text = cluster.kubeconfig(managerUser, { token: cluster.token(managerUser) });
  await writeFile(kubeconfig, text.replace(cluster.url, proxy.url), { mode: 0o600 });
  await cluster.runManager(ourManager, [...flags, `--kubeconfig=${kubeconfig}`], signal);
  return { ...side, proxy };
}

let calm: Side;
let killed: Side;
beforeAll(async () => {
  [calm, killed] = await Promise.all([openSide({ isKilled: false }), openSide({ isKilled: true })]);
});
afterAll(async () => {
  for (const side of [calm, killed]) {
    await side?.client[Symbol.asyncDispose]();
    await side?.cluster[Symbol.asyncDispose]();
    await side?.proxy?.[Symbol.asyncDispose]();
    await side?.audit[Symbol.asyncDispose]();
  }
});

/** Waits for up to a minute by design, in each of its scenarios. */
const slowController = "pod-garbage-collector-controller";
const areAll = process.env["KUBELOOP_SCENARIOS"] === "all";
const scenarios = Object.entries(allScenarios).flatMap(([controller, list]) =>
  list
    .filter(({ needsVirtualTime }) => needsVirtualTime !== true)
    .slice(0, areAll ? undefined : controller === slowController ? 0 : 1)
    .map((scenario) => ({ controller, name: scenario.name, scenario })),
);

/** Most of them while a controller works, the others anywhere: at a list, at a start. */
function drawChoice(random: SeededRandom): InFlightChoice {
  const when = random.next() < 0.5 ? "sent" : "answered";
  if (random.next() < 0.8) return { of: "work", nth: 1 + randomBelow(random, 3), when };
  return { of: "any request", nth: 1 + randomBelow(random, 150), when };
}

/** Kills the manager until it has been killed often enough, or is told to end; it runs afterwards. Returns what was in flight each time. */
async function keepKilling(
  { cluster, proxy }: Side,
  { random, kills }: { readonly random: SeededRandom; readonly kills: number },
  over: Promise<void>,
): Promise<readonly string[]> {
  const inFlight: string[] = [];
  let starting = Promise.resolve();
  while (inFlight.length < kills) {
    const what = await Promise.race([proxy?.untilInFlight(drawChoice(random)), over, starting.then(() => over)]);
    if (what === undefined) break;
    // It may be killed while it starts.
    starting.catch(() => {});
    await cluster.kill(manager);
    inFlight.push(what);
    starting = cluster.restart(manager, signal);
  }
  await starting;
  return inFlight;
}

let count = 0;
const lookEveryMs = 500;
const mostLooks = 60;
/** Of one scenario: one that takes two writes has at most two kills each time. */
const mostRounds = 20;

/** Runs the scenario on both sides, and compares what they leave. Returns what was in flight when the manager was killed. */
async function runBoth(scenario: Scenario, random: SeededRandom, kills: number): Promise<readonly string[]> {
  const namespace = `scenario-${++count}`;
  const about = { namespace, isDisturbed: true, hasAccountController: true };
  const run = ({ client }: Side) => runOnRealCluster(scenario, { client, ...about }, signal);
  const left = async ({ client }: Side) =>
    withoutEvents(await normalForm(client, { namespace, isInterrupted: true }, signal));
  const over = Promise.all([run(calm), run(killed)]).then(() => {});
  // Whoever awaits it is told.
  over.catch(() => {});
  const inFlight = await keepKilling(killed, { random, kills }, over).catch(async (error: unknown) => {
    await killed.cluster.restart(manager, signal);
    throw error;
  });
  await over;
  let [expected, mine] = await Promise.all([left(calm), left(killed)]);
  for (let look = 0; look < mostLooks && !isDeepStrictEqual(mine, expected); look++) {
    await systemClock.sleep(lookEveryMs, signal);
    [expected, mine] = await Promise.all([left(calm), left(killed)]);
  }
  expect(Object.keys(expected)).toContain("serviceaccounts");
  expect(mine).toEqual(expected);
  const createdPods = async ({ audit }: Side) =>
    (await audit.read()).filter(
      (request) =>
        request.namespace === namespace &&
        request.verb === "create" &&
        request.resource === "pods" &&
        request.code === 201,
    ).length;
  expect(await createdPods(killed)).toBe(await createdPods(calm));
  return inFlight;
}

describe("our manager, killed in the midst of requests, leaves what an undisturbed one leaves", () => {
  for (const { controller, name, scenario } of scenarios)
    test(`${controller}: ${name}`, async () => {
      const random = seededRandom(`${seed} ${controller} ${name}`);
      const inFlight: string[] = [];
      for (let round = 0; round < mostRounds && inFlight.length < killsPerScenario; round++)
        inFlight.push(...(await runBoth(scenario, random, killsPerScenario - inFlight.length)));
      console.log(`${controller}: ${name}: killed with seed ${seed} during ${inFlight.map(withoutQuery).join(", ")}`);
      expect(inFlight).toHaveLength(killsPerScenario);
    }, 600_000);
});

const withoutQuery = (request: string) => request.replace(/\?.*/, "");

/** They may be lost with whoever records them. */
const withoutEvents = ({ events: _, ...form }: NormalForm): NormalForm => form;
