// A create that is refused because the object exists, while the cache does not have it.
import { expect, test } from "vitest";
import { configMaps, secrets } from "../../api/generated/resources.ts";
import { type corev1, type Transport, withFaults } from "../../api/index.ts";
import { type FakeClock, seededRandom } from "../../base/index.ts";
import { cached, create, keyed, nothing, plan, verbs } from "../../contract/index.ts";
import { Stage } from "./stage.fixture.ts";

const map: corev1.ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "a" } };
const secret: corev1.Secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "shop", name: "a" } };

const controller = keyed({
  name: "secrets",
  primary: configMaps,
  watches: [cached(secrets)],
  writes: [verbs(secrets, "create")],
  observe: (key, { snapshot }) => ({ isThere: snapshot.get(secrets, key) !== undefined }),
  decide: ({ isThere }) =>
    isThere ? nothing("is there") : plan("make it", [[create(secrets, secret, { tolerates: ["AlreadyExists"] })]]),
});

/** The first create fails with 409, as if another client had created the object and deleted it immediately. */
const oneExists = (transport: Transport, clock: FakeClock) =>
  withFaults(
    transport,
    [
      {
        name: "exists",
        fault: { kind: "status", code: 409 },
        match: { verbs: ["create"] },
        nth: [1],
      },
    ],
    { clock, random: seededRandom(1) },
  );

test("the key is looked at once more: the object may be gone before the cache has seen it", async () => {
  await using stage = new Stage(controller, {
    resources: [configMaps, secrets],
    objects: [[configMaps, map]],
    wrap: oneExists,
  });
  await stage.clock.advance(500);
  expect(stage.list(secrets)).toHaveLength(0);
  await stage.clock.advance(1000);
  expect(stage.list(secrets)).toHaveLength(1);
});
