// Which programs are built and kept together, and the calls of `go` that make them. The cluster is one bundle, each
// foreign client another, the conformance suite the last: who changes one does not spend the minutes of the others again.
import { join } from "node:path";
import { conformancePrograms, foreignClients, type Manifest, type PinnedVersions, type Program } from "./programs.ts";

export type Bundle = "cluster" | (typeof foreignClients)[number] | "e2e";

export interface GoBuild {
  readonly manifest: Manifest;
  /** `test -c` makes a program of a package's tests. Defaults to `build`. */
  readonly command?: readonly string[];
  /** What follows the command. */
  readonly args: readonly string[];
}

export function bundleOf(program: Program): Bundle {
  if (conformancePrograms.some((one) => one === program)) return "e2e";
  return foreignClients.find((client) => client === program) ?? "cluster";
}

/** Everything that goes into a bundle stands in the folders of these manifests. */
export function manifestsOf(bundle: Bundle): readonly Manifest[] {
  return bundle === "cluster" ? ["kubernetes", "etcd"] : [bundle];
}

/** For whoever waits for it. */
export function describeBuild(bundle: Bundle, pinned: PinnedVersions): string {
  switch (bundle) {
    case "cluster":
      return `etcd and Kubernetes ${pinned.kubernetes} with Go; once, about 7 minutes on two cores`;
    case "kubectl-1.29":
      return `kubectl ${pinned.oldKubectl} with Go; once, about 2 minutes on two cores`;
    case "go-clients":
      return "clients that use client-go and controller-runtime, with Go; once, about a minute on two cores";
    case "helm":
      return "helm with Go; once, several minutes on two cores";
    case "e2e":
      return `the conformance suite of Kubernetes ${pinned.kubernetes} with Go; once, about 5 minutes on two cores`;
  }
}

const smaller = ["-trimpath", "-buildvcs=false"];
/** A module does not tell the commit it was made from; unstamped, programs would print a template instead. */
const unknownCommit = "0".repeat(40);

/** The calls of `go` that fill `folder`. */
export function buildsOf(bundle: Bundle, pinned: PinnedVersions, folder: string): readonly GoBuild[] {
  switch (bundle) {
    case "cluster": {
      const names = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];
      const packages = names.map((name) => `k8s.io/kubernetes/cmd/${name}`);
      return [
        {
          manifest: "etcd",
          args: [...smaller, "-ldflags=-s -w", "-o", join(folder, "etcd"), "go.etcd.io/etcd/server/v3"],
        },
        { manifest: "kubernetes", args: [...smaller, stamped(pinned.kubernetes), "-o", `${folder}/`, ...packages] },
      ];
    }
    case "kubectl-1.29": {
      const flags = [...smaller, stamped(pinned.oldKubectl), "-o", join(folder, bundle)];
      return [{ manifest: bundle, args: [...flags, "k8s.io/kubernetes/cmd/kubectl"] }];
    }
    case "go-clients":
      return [{ manifest: bundle, args: [...smaller, "-ldflags=-s -w", "-o", join(folder, bundle), "."] }];
    case "helm":
      return [
        {
          manifest: bundle,
          args: [...smaller, "-ldflags=-s -w", "-o", join(folder, bundle), "helm.sh/helm/v4/cmd/helm"],
        },
      ];
    case "e2e": {
      const suite = [
        ...smaller,
        stamped(pinned.kubernetes),
        "-o",
        join(folder, "e2e.test"),
        "k8s.io/kubernetes/test/e2e",
      ];
      const runner = [...smaller, "-ldflags=-s -w", "-o", join(folder, "ginkgo"), "github.com/onsi/ginkgo/v2/ginkgo"];
      return [
        { manifest: bundle, command: ["test", "-c"], args: suite },
        { manifest: bundle, args: runner },
      ];
    }
  }
}

function stamped(version: string): string {
  const [major, minor] = version.split(".");
  const stamps = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitCommit: unknownCommit };
  // The second package is where a program's User-Agent comes from.
  const flags = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((place) =>
    Object.entries(stamps).map(([name, value]) => `-X ${place}.${name}=${value}`),
  );
  return `-ldflags=-s -w ${flags.join(" ")}`;
}
