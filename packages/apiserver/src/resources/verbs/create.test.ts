// Names the server makes up: one that is free, and a refusal that invites to ask again when luck does not bring one.
import { FakeClock, type Random } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask } from "../../ask.fixture.ts";

const path = "/api/v1/namespaces/default/configmaps";

/** Draws what it is told to, once everything that comes with a new server was drawn. */
class LoadedDice implements Random {
  throws: number[] = [];
  count = 0;
  next(): number {
    this.count++;
    return this.throws.shift() ?? 0;
  }
}

const post = (server: ApiServer, metadata: object) =>
  ask<{ readonly metadata: { readonly name: string } }>(server, path, {
    method: "POST",
    value: { kind: "ConfigMap", apiVersion: "v1", metadata },
  });

describe("a generated name", () => {
  test("is another when the first is taken", async () => {
    const random = new LoadedDice();
    await using server = await ApiServer.open({ clock: new FakeClock(), random });
    const first = await post(server, { generateName: "a-" });
    random.throws = [0, 0, 0, 0, 0, 0.99, 0.99, 0.99, 0.99, 0.99];
    const second = await post(server, { generateName: "a-" });
    expect([first.code, first.object.metadata.name]).toEqual([201, "a-bbbbb"]);
    expect([second.code, second.object.metadata.name]).toEqual([201, "a-99999"]);
  });

  test("that is taken eight times over is refused, and may be asked for again", async () => {
    const random = new LoadedDice();
    await using server = await ApiServer.open({ clock: new FakeClock(), random });
    await post(server, { generateName: "a-" });
    random.count = 0;
    const refused = await post(server, { generateName: "a-" });
    expect(random.count).toBe(8 * 5);
    expect(refused).toMatchObject({
      code: 409,
      object: { reason: "AlreadyExists", details: { name: "a-bbbbb", kind: "configmaps", retryAfterSeconds: 1 } },
    });
  });
});
