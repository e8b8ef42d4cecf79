// The programs that a run of the suite takes: found, or built where Go is.
import { type Binaries, BinariesMissingError, conformancePrograms, findBinaries } from "@kubeloop/real-cluster";

export interface ProgramsOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Told where each program is, one sentence at a time. */
  readonly say: (sentence: string) => void;
}

/** None where Go is missing, which it says. */
export async function findPrograms({ env, say }: ProgramsOptions, signal: AbortSignal): Promise<Binaries | undefined> {
  try {
    const wanted = ["kube-controller-manager", "kube-scheduler", "kubectl", ...conformancePrograms] as const;
    return await findBinaries(wanted, { mayBuild: true, env, say }, signal);
  } catch (error) {
    if (!(error instanceof BinariesMissingError) || error.hasGo) throw error;
    say("the suite was not run, because Go is not installed and e2e.test cannot be built without it");
    return undefined;
  }
}
