// A key creates an object, which is deleted before the cache has seen it. No watch event reports the object, but the key is enqueued all the
// same.
import { expect, test } from "vitest";
import { configMaps, secrets } from "../../api/generated/resources.ts";
import { type corev1, type Transport, withFaults } from "../../api/index.ts";
import { type FakeClock, seededRandom } from "../../base/index.ts";
import { create, keyed, mapped, nothing, plan, verbs } from "../../contract/index.ts";
import { Stage } from "./stage.fixture.ts";

const map: corev1.ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "a" } };
const secret: corev1.Secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "a" } };

/** Keeps a secret for each ConfigMap. A deletion of a secret enqueues the key. */
const controller = keyed({
  name: "secrets",
  primary: configMaps,
  watches: [
    mapped(secrets, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`], {
      when: ({ type }) => type === "delete",
    }),
  ],
  writes: [verbs(secrets, "create")],
  observe: (key, { snapshot }) => {
    const isWanted = snapshot.get(configMaps, key) !== undefined;
    return isWanted ? { isThere: snapshot.get(secrets, key) !== undefined } : undefined;
  },
  decide: ({ isThere }) => (isThere ? nothing("is there") : plan("make it", [[create(secrets, secret)]])),
});

/** Watches and lists of secrets fail with 503 until `until` returns true. */
const deaf = (until: () => boolean) => (transport: Transport, clock: FakeClock) =>
  withFaults(
    transport,
    [
      {
        name: "deaf",
        fault: { kind: "status", code: 503 },
        match: { resources: ["secrets"], verbs: ["list", "watch"], where: () => !until() },
      },
    ],
    { clock, random: seededRandom(1) },
  );

test("the key is woken, and the object is created again", async () => {
  let isHearing = true;
  await using stage = new Stage(controller, { resources: [configMaps, secrets], wrap: deaf(() => isHearing) });
  await stage.clock.advance(1000);
  isHearing = false;
  stage.server.server.endWatches();
  stage.server.server.create(configMaps, map);
  await stage.clock.advance(200);
  const [made] = stage.list(secrets);
  expect(made).toBeDefined();
  stage.server.server.delete(secrets, "shop/a");
  isHearing = true;
  await stage.clock.advance(60_000);
  expect(stage.list(secrets)).toHaveLength(1);
  expect(stage.list(secrets)[0]?.metadata.uid).not.toBe(made?.metadata.uid);
});
