import { expect, test } from "vitest";
import { noConfig } from "../script/environment.ts";
import { play, podOf, server, slowTimings, startMs } from "./play-pod.fixture.ts";
import { toPodStatus } from "./pod-status.ts";
import { restorePodLife } from "./restore-pod-life.ts";
import { stepPod } from "./step-pod.ts";

test("a pod that is taken over shows the same, and what its probes found is not reported again", () => {
  const readinessProbe = { httpGet: { port: 80 } };
  const first = podOf({ containers: [server("c", { readinessProbe })] }, { "kubeloop.dev/fail-readiness": "true" });
  const played = play(first, { untilSeconds: 60 });
  const unhealthy = played.events.filter(({ reason }) => reason === "Unhealthy").length;
  expect(unhealthy).toBeGreaterThan(1);
  const status = played.seen.at(-1)?.status ?? {};
  const pod = { ...first, status };
  const nowMs = startMs + 60_000;
  const life = restorePodLife(pod, noConfig, nowMs);
  if (life === undefined) throw new Error("nothing was restored");
  const seen = { pod, podIPs: undefined, presentImages: new Set<string>(), config: noConfig, timings: slowTimings };
  const step = stepPod(life, seen, nowMs);
  expect(step.events).toEqual([]);
  expect(toPodStatus({ pod, life: step.life, hostIPs: ["192.168.0.1"] }, nowMs)).toEqual(status);
});
