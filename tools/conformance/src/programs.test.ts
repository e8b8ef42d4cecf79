import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPrograms } from "./programs.ts";

test("where Go is missing there are no programs, and one sentence says why", async () => {
  const empty = await mkdtemp(join(tmpdir(), "kubeloop-no-go-"));
  const said: string[] = [];
  const env = { PATH: empty, KUBELOOP_CACHE: join(empty, "cache") };
  const found = await findPrograms({ env, say: (sentence) => said.push(sentence) }, new AbortController().signal);
  await rm(empty, { recursive: true, force: true });
  expect(found).toBeUndefined();
  expect(said).toEqual(["the suite was not run, because Go is not installed and e2e.test cannot be built without it"]);
});
