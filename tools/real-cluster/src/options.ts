// What a caller can ask of a real cluster. Every default is upstream's, or the smaller cluster.
import type { ComponentName } from "./programs.ts";
import type { TokenUser } from "./tokens.ts";

/** A program that takes kube-controller-manager's flags and runs in its place: ours. */
export interface ManagerProgram {
  /** Its path and first arguments. */
  readonly command: readonly [path: string, ...args: readonly string[]];
}

export interface RealClusterOptions {
  /** For every component, as `--feature-gates`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Defaults to true, as upstream. */
  readonly watchCache?: boolean;
  /** Also run upstream's kube-controller-manager. Defaults to false; without it no namespace has a ServiceAccount. */
  readonly controllerManager?: boolean | ManagerProgram;
  /** Also run upstream's kube-scheduler. Defaults to false. */
  readonly scheduler?: boolean;
  /** Who gets a static token besides the admin. */
  readonly users?: readonly TokenUser[];
  /** Appended to a component's own flags; of a flag given twice the last one counts. */
  readonly extraFlags?: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
  /** How long each component may take until it is ready. Defaults to one minute. */
  readonly startTimeoutMs?: number;
  /** Defaults to the process's; says where the programs are found (see findBinaries). */
  readonly env?: NodeJS.ProcessEnv;
}
