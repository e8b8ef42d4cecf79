import { createServer } from "node:net";
import { expect, test } from "vitest";
import { findFreePort } from "./ports.ts";

test("a free port can be listened on, and lies below those the system hands out", async () => {
  const port = await findFreePort();
  expect(port).toBeGreaterThanOrEqual(21_000);
  expect(port).toBeLessThan(30_000);
  const server = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  await new Promise((resolve) => server.close(resolve));
});
