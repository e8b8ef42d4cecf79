import { type ApiResponse, type FaultRule, headerValue, type Transport, valueResponse } from "@kubeloop/core/api";
import { configMaps, secrets } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { type EmbeddedRun, runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import type { Scenario } from "../../scenarios/scenario.contract.ts";
import { newGarbageCollectorController } from "./controller.ts";
import { garbageCollectorScenarios, ownerActions, reference } from "./scenarios.contract.ts";

const scenarios = garbageCollectorScenarios
  .filter(({ needsRealServer }) => needsRealServer !== true)
  .map((scenario) => [scenario.name, scenario] as const);
const controllers: EmbeddedRun["controllers"] = (run) => run(newGarbageCollectorController());

describe("the garbage collector on the embedded server", () => {
  test.each(scenarios)("%s", (_, scenario) => runEmbedded(scenario, { controllers }));
});

/** As a server does with custom kinds. */
const noStrategicPatches: FaultRule = {
  name: "no strategic patches",
  fault: { kind: "status", code: 415 },
  match: {
    verbs: ["patch"],
    where: ({ headers }) => headerValue(headers, "content-type")?.includes("strategic") === true,
  },
};

describe("where the server takes no strategic patches", () => {
  test.each(scenarios.filter(([name]) => /orphan|another owner|circle/.test(name)))("%s", (_, scenario) =>
    runEmbedded(scenario, { controllers, faults: [noStrategicPatches] }),
  );
});

describe("where a kind can be neither listed nor watched", () => {
  const unreadable: FaultRule = {
    name: "a broken conversion",
    fault: { kind: "status", code: 500 },
    match: { verbs: ["list", "watch"], resources: ["serviceaccounts"] },
  };
  test.each(scenarios.filter(([name]) => /^background|waits for the dependents/.test(name)))("%s", (_, scenario) =>
    runEmbedded(scenario, { controllers, faults: [unreadable] }),
  );
});

test("somebody who writes an object all the time cannot keep it", async () => {
  const versions: (string | undefined)[] = [];
  const scenario: Scenario = {
    name: "written all the time",
    async run(cluster) {
      const { create, remove, untilGone } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const child = await create(configMaps, "child", { owners: [reference(owner)] });
      await remove(configMaps, owner, "Background");
      await untilGone(configMaps, child);
    },
  };
  // Each deletion of this very version comes too late.
  const wrap =
    (transport: Transport): Transport =>
    async (request, signal) => {
      if (request.method !== "DELETE" || request.body.kind !== "value") return await transport(request, signal);
      const { preconditions } = request.body.value as {
        readonly preconditions?: { readonly resourceVersion?: string };
      };
      versions.push(preconditions?.resourceVersion);
      if (preconditions?.resourceVersion === undefined) return await transport(request, signal);
      const value = { ...(request.body.value as object), preconditions: { ...preconditions, resourceVersion: "1" } };
      return await transport({ ...request, body: { kind: "value", value } }, signal);
    };
  await runEmbedded(scenario, { controllers, wrap });
  expect(versions).toEqual([expect.any(String), undefined]);
});

test("a kind that discovery names later is collected from then on; one that it names no longer is not", async () => {
  let isHidden = true;
  const wrap =
    (transport: Transport): Transport =>
    async (request, signal) => {
      if (request.path !== "/api") return await transport(request, signal);
      // What is hidden would not show in the server's ETag.
      const { "if-none-match": _seen, ...headers } = request.headers;
      const response = await transport({ ...request, headers }, signal);
      const { etag: _tag, ETag: _other, ...rest } = response.headers;
      const body = await bodyOf(response);
      return valueResponse(response.status, isHidden ? withoutResource(body, "secrets") : body, rest);
    };
  const scenario: Scenario = {
    name: "hidden for a while",
    async run(cluster) {
      const { create, remove, untilGone, expectThere } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const [seen, hidden] = [
        await create(configMaps, "seen", { owners: [reference(owner)] }),
        await create(secrets, "hidden", { owners: [reference(owner)] }),
      ];
      await remove(configMaps, owner, "Background");
      await untilGone(configMaps, seen);
      await cluster.pass(60_000);
      await expectThere(secrets, hidden);
      isHidden = false;
      await untilGone(secrets, hidden);
      isHidden = true;
      await cluster.pass(60_000);
      const again = await create(secrets, "again", { owners: [reference(owner)] });
      await cluster.pass(60_000);
      await expectThere(secrets, again);
    },
  };
  await runEmbedded(scenario, { controllers, wrap });
});

async function bodyOf({ body }: ApiResponse): Promise<unknown> {
  if (body.kind === "value") return body.value;
  const chunks: Uint8Array[] = [];
  if (body.kind === "bytes") for await (const chunk of body.bytes) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function withoutResource(value: unknown, plural: string): object {
  const list = value as {
    readonly items: readonly {
      readonly versions: readonly { readonly resources: readonly { readonly resource: string }[] }[];
    }[];
  };
  expect(JSON.stringify(list)).toContain(`"resource":"${plural}"`);
  return {
    ...list,
    items: list.items.map((item) => ({
      ...item,
      versions: item.versions.map((version) => ({
        ...version,
        resources: version.resources.filter(({ resource }) => resource !== plural),
      })),
    })),
  };
}

test.each(["Background", "Foreground", "Orphan"] as const)(
  "an owner of more dependents than are added at once is deleted: %s",
  async (policy) => {
    const count = 600;
    const scenario: Scenario = {
      name: "many dependents",
      async run(cluster) {
        const { create, remove, untilGone, find } = ownerActions(cluster);
        const owner = await create(configMaps, "owner");
        const owners = [reference(owner, { blockOwnerDeletion: true })];
        const children = await Promise.all(
          Array.from({ length: count }, (_, i) => create(configMaps, `c${i}`, { owners })),
        );
        await remove(configMaps, owner, policy);
        await untilGone(configMaps, owner);
        if (policy !== "Orphan") {
          await untilGone(configMaps, ...children);
          return;
        }
        const left = await Promise.all(children.map((child) => find(configMaps, child)));
        expect(left.filter((each) => each !== undefined && each.metadata.ownerReferences === undefined)).toHaveLength(
          count,
        );
      },
    };
    await runEmbedded(scenario, { controllers });
  },
);
