// `startCluster()`: a control plane for a test, in any test runner. cluster.ts says what it can do.
import type { ApiServerOptions } from "@kubeloop/apiserver";
import type { FaultRule } from "@kubeloop/core/api";
import {
  type Clock,
  FakeClock,
  KubeloopError,
  type Log,
  noLog,
  type Random,
  seededRandom,
  systemRandom,
  TrackedClock,
} from "@kubeloop/core/base";
import type { Cluster, ClusterGround, ClusterSettings } from "./cluster.ts";
import { mostNodes } from "./node-specs.ts";

export interface StartClusterOptions {
  /** How many hollow nodes. Default: 3. */
  readonly nodes?: number;
  /** How many times faster than a kubelet's the nodes' own delays are, of pulls, starts and stops. Default: 1. */
  readonly speed?: number;
  /** Default: real time. In virtual time waiting costs nothing, and a run repeats from its seed. */
  readonly clock?: "real" | "virtual";
  /** What chance is drawn from: by default the same each time in virtual time, and the system's in real time. */
  readonly seed?: string | number;
  /** Of virtual time: when it begins. Default: 2030-01-01T00:00:00Z. */
  readonly startTime?: Date;
  /** kube-controller-manager's flags, for instance `["--controllers=*,-ttl-controller"]`; false runs no controllers. */
  readonly controllerManager?: readonly string[] | false;
  /** Default: true. */
  readonly scheduler?: boolean;
  /** Into the requests of controllers, scheduler and nodes, from when they have started. Requests of the test's own client are not touched. */
  readonly faults?: readonly FaultRule[];
  /** Default: nothing is logged, because most failures in a test are intended. */
  readonly log?: Log;
  /** Of the API server. */
  readonly server?: Pick<
    ApiServerOptions,
    "enableAdmissionPlugins" | "disableAdmissionPlugins" | "authorization" | "inflight"
  >;
}

export async function startCluster(
  options: StartClusterOptions & { readonly clock: "virtual" },
): Promise<Cluster<FakeClock>>;
export async function startCluster(options?: StartClusterOptions): Promise<Cluster>;
export async function startCluster(options: StartClusterOptions = {}): Promise<Cluster> {
  const settings = settingsOf(options);
  // Imported when it is needed: the command does without.
  const { Cluster } = await import("./cluster.ts");
  return await Cluster.open<Clock>(settings, await groundOf(options));
}

function settingsOf(options: StartClusterOptions): ClusterSettings {
  const {
    nodes = 3,
    speed = 1,
    controllerManager = [],
    scheduler = true,
    faults = [],
    log = noLog,
    server = {},
  } = options;
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > mostNodes)
    throw invalid(`nodes must be a whole number from 0 to ${mostNodes}, not ${nodes}`);
  if (!(speed > 0 && Number.isFinite(speed))) throw invalid(`speed must be a number above 0, not ${speed}`);
  return { nodes, speed, controllerManager, scheduler, faults, log, server };
}

async function groundOf({ clock = "real", seed, startTime }: StartClusterOptions): Promise<ClusterGround> {
  const { realTime, virtualTime } = await import("./cluster-clock.ts");
  switch (clock) {
    case "virtual": {
      const wallMs = startTime?.getTime();
      if (Number.isNaN(wallMs)) throw invalid("startTime is no time");
      const begin = (fake: FakeClock, random: ReturnType<typeof seededRandom>): ClusterGround => ({
        time: virtualTime(fake),
        random,
        forked: () => begin(new FakeClock({ wallMs: fake.now() }), random.fork("fork")),
      });
      return begin(new FakeClock(wallMs === undefined ? {} : { wallMs }), seededRandom(seed ?? "kubeloop"));
    }
    case "real": {
      if (startTime !== undefined) throw invalid("startTime is for virtual time");
      const random = seed === undefined ? systemChance : seededRandom(seed);
      const begin = (): ClusterGround => ({ time: realTime(new TrackedClock()), random, forked: begin });
      return begin();
    }
    default:
      throw invalid(`clock must be "real" or "virtual", not ${JSON.stringify(clock)}`);
  }
}

const systemChance: Random & { fork(name: string): Random } = {
  next: () => systemRandom.next(),
  fork: () => systemRandom,
};

const invalid = (sentence: string) =>
  new KubeloopError(`startCluster: ${sentence}`, { reason: "Invalid", retry: "never" });
