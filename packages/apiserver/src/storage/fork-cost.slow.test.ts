// What it costs to fork and to restore does not depend on how much is stored.
import "@kubeloop/counted-work";
import { countWork } from "@kubeloop/counted-work";
import { expect, test } from "vitest";
import { MemoryStorage } from "./memory-storage.ts";
import { creation, put } from "./objects.fixture.ts";

async function workOnForks(objects: number) {
  await using storage = new MemoryStorage();
  for (let index = 0; index < objects; index++) await storage.write([creation(`shop/web-${index}`)]);
  const snapshot = storage.snapshot();
  return await countWork(async () => {
    await using fork = await storage.fork();
    await put(fork, "shop/web-7", "changed");
    await storage.restore(snapshot);
    await put(storage, "shop/web-8", "changed");
  });
}

test("to fork and to restore 50,000 objects takes about as much as with 500", async () => {
  await workOnForks(500);
  const [few, many] = [await workOnForks(500), await workOnForks(50_000)];
  // The tree of keys is a few levels deeper.
  expect(many.steps / few.steps).toBeLessThan(3);
  expect(many.bytes).toBeLessThan(500_000);
});
