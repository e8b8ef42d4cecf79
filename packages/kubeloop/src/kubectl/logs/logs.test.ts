import { newBadRequest, type Transport, valueResponse } from "@kubeloop/core/api";
import { deferred, untilAborted } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { expect, test } from "vitest";
import { noWorld } from "../world.ts";
import { logs } from "./logs.ts";
import { parseLogsOptions } from "./logs-options.ts";

/** Follows the logs of these pods: those called bad fail when all others are being followed. */
async function follow(names: readonly string[]) {
  const items = names.map((name) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "c", image: "c" }] },
  }));
  const areFollowed = deferred();
  const signals: AbortSignal[] = [];
  let asked = 0;
  const transport: Transport = async ({ path }, signal) => {
    if (!path.endsWith("/log"))
      return valueResponse(200, { apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "1" }, items });
    if (++asked === names.length) areFollowed.resolve();
    if (path.includes("/bad")) {
      await areFollowed.promise;
      throw newBadRequest("it is waiting to start");
    }
    signals.push(signal);
    return await untilAborted(new Promise<never>(() => {}), signal);
  };
  const options = parseLogsOptions(["-l", "app=web", "-f"]);
  if (options === undefined) throw new Error("no options");
  const cluster = { client: clientOf(transport), server: "server", namespace: "default", isNamespaceGiven: false };
  const ended = logs(options, cluster, noWorld, new AbortController().signal);
  return { message: await ended.catch((error: Error) => error.message), signals };
}

test.each([[["bad", "good"]], [["good", "bad-1", "bad-2"]]])(
  "of the logs of %j, the failure ends all",
  async (names) => {
    const { message, signals } = await follow(names);
    expect(message).toBe("it is waiting to start");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  },
);
