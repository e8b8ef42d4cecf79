import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseKubeconfig } from "./choose-kubeconfig.ts";

const own = join("/here", ".kubeloop", "kubeconfig");
const { signal } = new AbortController();
const hostWith = (files: readonly string[], env: Record<string, string>) => ({
  env,
  cwd: () => "/here",
  readFile: async (path: string) => {
    if (!files.includes(path)) throw new Error(`no ${path}`);
    return "";
  },
});

describe("the kubeconfig of a command is", () => {
  for (const [what, given, env, files, chosen] of [
    ["the file that is given, before all others", "/given", { KUBECONFIG: "/env" }, [own], "/given"],
    ["left to KUBECONFIG, before the folder's", undefined, { KUBECONFIG: "/env" }, [own], undefined],
    ["the folder's, if nothing else is said", undefined, {}, [own], own],
    ["the folder's, if KUBECONFIG is empty", undefined, { KUBECONFIG: "" }, [own], own],
    ["the folder's, if an empty file is given", "", {}, [own], own],
    ["left to kubectl, if the folder has none", undefined, {}, [], undefined],
  ] as const) {
    test(what, async () => expect(await chooseKubeconfig(given, hostWith(files, env), signal)).toBe(chosen));
  }
});

test("a command that is stopped does not choose another file", async () => {
  const stop = new AbortController();
  const host = { ...hostWith([], {}), readFile: async () => Promise.reject(stop.signal.reason) };
  stop.abort();
  await expect(chooseKubeconfig(undefined, host, stop.signal)).rejects.toBe(stop.signal.reason);
});
