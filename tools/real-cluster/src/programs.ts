// Which programs a real cluster is made of, which foreign clients are held against one, which version of each is wanted, and
// how a program tells its version. The wanted versions are read from the Go manifests, so that they are written down once.
import { readFile } from "node:fs/promises";
import { RealClusterError } from "./errors.ts";

export const components = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;
export const clusterPrograms = [...components, "kubectl"] as const;
/** Clients of another age, of others, or of our own making in Go. No cluster needs them; only the suites that are about them do. */
export const foreignClients = ["kubectl-1.29", "go-clients", "helm"] as const;
/** Kubernetes' end-to-end tests, the conformance suite among them, and what runs them in parallel. Only `npm run test:conformance` needs them. */
export const conformancePrograms = ["e2e.test", "ginkgo"] as const;

/** A program that runs as long as the cluster does. */
export type ComponentName = (typeof components)[number];
export type Program =
  | (typeof clusterPrograms)[number]
  | (typeof foreignClients)[number]
  | (typeof conformancePrograms)[number];

/** The versions of the manifests, without a leading `v`. */
export interface PinnedVersions {
  readonly kubernetes: string;
  readonly etcd: string;
  readonly oldKubectl: string;
}

export const manifests = {
  kubernetes: new URL("../manifests/kubernetes/", import.meta.url),
  etcd: new URL("../manifests/etcd/", import.meta.url),
  "kubectl-1.29": new URL("../manifests/kubectl-1.29/", import.meta.url),
  "go-clients": new URL("../manifests/go-clients/", import.meta.url),
  helm: new URL("../manifests/helm/", import.meta.url),
  e2e: new URL("../manifests/e2e/", import.meta.url),
} as const;

export type Manifest = keyof typeof manifests;

export async function readPinnedVersions(): Promise<PinnedVersions> {
  const read = (manifest: Manifest) => readFile(new URL("go.mod", manifests[manifest]), "utf8");
  const [kubernetes, etcd, oldKubectl] = await Promise.all([read("kubernetes"), read("etcd"), read("kubectl-1.29")]);
  return {
    kubernetes: requiredVersion(kubernetes, "k8s.io/kubernetes"),
    etcd: requiredVersion(etcd, "go.etcd.io/etcd/server/v3"),
    oldKubectl: requiredVersion(oldKubectl, "k8s.io/kubernetes"),
  };
}

/** The version a go.mod requires of a module, without the leading `v`. */
export function requiredVersion(goMod: string, module: string): string {
  for (const line of goMod.split("\n")) {
    const [name, version] = line
      .trim()
      .replace(/^require\s+/, "")
      .split(/\s+/);
    if (name === module && version?.startsWith("v") === true) return version.slice(1);
  }
  throw new RealClusterError(`the manifest requires no version of ${module}`, { reason: "Unknown" });
}

/** How each program is asked for its version. */
export function versionArguments(program: KnownProgram): readonly string[] {
  return program === "kubectl" || program === "kubectl-1.29" ? ["version", "--client"] : ["--version"];
}

/** `1.36.4` out of `Kubernetes v1.36.4`, `etcd Version: 3.6.8` or `Client Version: v1.36.4`. */
export function parseVersion(output: string): string | undefined {
  return /(?:Kubernetes|etcd Version:|Client Version:)\s+v?(\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
}

/** A program that others give away as well, and that tells its version when it is asked. */
export type KnownProgram = Exclude<Program, (typeof alwaysBuilt)[number]>;

const alwaysBuilt = ["go-clients", "helm", ...conformancePrograms] as const;

export const isKnown = (program: Program): program is KnownProgram => !alwaysBuilt.some((built) => built === program);

/** The series (`1.36`) a program has to belong to. A patch release changes no behaviour the suites look at. */
export function wantedSeries(program: KnownProgram, pinned: PinnedVersions): string {
  if (program === "etcd") return seriesOf(pinned.etcd);
  return seriesOf(program === "kubectl-1.29" ? pinned.oldKubectl : pinned.kubernetes);
}

export const seriesOf = (version: string): string => version.split(".").slice(0, 2).join(".");
