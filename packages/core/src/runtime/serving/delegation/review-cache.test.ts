import { expect, test } from "vitest";
import { deferred, FakeClock, untilAborted } from "../../../base/index.ts";
import { ReviewCache } from "./review-cache.ts";

test("who asks first and goes away takes the answer from nobody else", async () => {
  const cache = new ReviewCache<string>(new FakeClock(), () => 1000);
  const answer = deferred<string>();
  let asked = 0;
  const ask = async (signal: AbortSignal) => {
    asked++;
    return await untilAborted(answer.promise, signal);
  };
  const [leaving, staying] = [new AbortController(), new AbortController()];
  const first = cache.get("may bob?", ask, leaving.signal);
  const second = cache.get("may bob?", ask, staying.signal);
  leaving.abort(new Error("the client went away"));
  await expect(first).rejects.toThrow("went away");
  answer.resolve("yes");
  expect(await second).toBe("yes");
  expect(await cache.get("may bob?", ask, staying.signal)).toBe("yes");
  expect(asked).toBe(1);
});

test("a question whose only asker goes away is asked again", async () => {
  const cache = new ReviewCache<string>(new FakeClock(), () => 1000);
  const leaving = new AbortController();
  const first = cache.get("may bob?", (signal) => untilAborted(new Promise<string>(() => {}), signal), leaving.signal);
  leaving.abort(new Error("the client went away"));
  await expect(first).rejects.toThrow("went away");
  expect(await cache.get("may bob?", async () => "yes", new AbortController().signal)).toBe("yes");
});
