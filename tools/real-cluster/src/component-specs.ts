// Each component of a cluster as a spec: its program, its command line, and when it is ready.
import { pathOf } from "./binaries.ts";
import type { ComponentSpec } from "./component.ts";
import { isEtcdHealthy } from "./etcd.ts";
import { apiServerFlags, controllerManagerFlags, etcdFlags, schedulerFlags } from "./flags.ts";
import type { Ground } from "./ground.ts";
import { sendRequest } from "./http-request.ts";
import type { RealClusterOptions } from "./options.ts";
import type { ComponentName, Program } from "./programs.ts";
import { admin } from "./tokens.ts";

/** The programs these options need. */
export function wantedPrograms(options: RealClusterOptions): readonly Program[] {
  return [
    "etcd",
    "kube-apiserver",
    "kubectl",
    ...(options.controllerManager === true ? (["kube-controller-manager"] as const) : []),
    ...(options.scheduler === true ? (["kube-scheduler"] as const) : []),
  ];
}

export function etcdSpec(ground: Ground): ComponentSpec {
  return {
    ...commonSpec(ground, "etcd"),
    flags: () => etcdFlags(ground.setup),
    isReady: (_port, signal) => holds(() => isEtcdHealthy(ground.files.etcdSocket, signal)),
  };
}

export function apiServerSpec(ground: Ground): ComponentSpec {
  return {
    ...commonSpec(ground, "kube-apiserver"),
    flags: (port) => apiServerFlags(ground.setup, port),
    isReady: (port, signal) => holds(() => answersOk(ground, `https://127.0.0.1:${port}/readyz`, signal)),
  };
}

/** The components that are clients of the API server and of nobody else. */
export function managerSpecs(options: RealClusterOptions, ground: Ground): readonly ComponentSpec[] {
  const isReady: ComponentSpec["isReady"] = (port, signal) =>
    holds(() => answersOk(ground, `https://127.0.0.1:${port}/healthz`, signal));
  const specs: ComponentSpec[] = [];
  const { controllerManager = false } = options;
  if (controllerManager === true) {
    const flags = (port: number) => controllerManagerFlags(ground.setup, port);
    specs.push({ ...commonSpec(ground, "kube-controller-manager"), flags, isReady });
  } else if (controllerManager !== false) {
    const [path, ...args] = controllerManager.command;
    const flags = (port: number) => [...args, ...controllerManagerFlags(ground.setup, port)];
    const { folder, startTimeoutMs } = ground;
    specs.push({ name: "kube-controller-manager", folder, startTimeoutMs, path, flags, isReady });
  }
  if (options.scheduler === true) {
    const flags = (port: number) => schedulerFlags(ground.setup, port);
    specs.push({ ...commonSpec(ground, "kube-scheduler"), flags, isReady });
  }
  return specs;
}

function commonSpec({ folder, binaries, startTimeoutMs }: Ground, name: ComponentName) {
  return { name, folder, startTimeoutMs, path: pathOf(binaries, name) };
}

async function answersOk(ground: Ground, url: string, signal: AbortSignal): Promise<boolean> {
  const headers = { authorization: `Bearer ${ground.tokens.get(admin.user)}` };
  const answer = await sendRequest({ url, headers, caPem: ground.authority.pair.certPem }, signal);
  return answer.status === 200;
}

/** A component that does not accept connections yet is not ready; why it does not, its log will tell. */
async function holds(probe: () => Promise<boolean>): Promise<boolean> {
  try {
    return await probe();
  } catch {
    return false;
  }
}
