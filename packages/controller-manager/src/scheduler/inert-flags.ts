// Flags of kube-scheduler that are taken and have no effect in this process, each with its reason. `--help` marks them, a start with one of them warns,
// and a test pins the list.
import type { FlagGroup, ParsedFlags } from "../flags/index.ts";

export const inertSchedulerFlags: Readonly<Record<string, string>> = {
  "contention-profiling": "a program of one thread has no locks to profile",
  "permit-address-sharing": "Node always sets SO_REUSEADDR",
  "log-flush-frequency": "lines are written at once, nothing is buffered",
  "log-json-info-buffer-size": "lines are written at once, nothing is buffered",
  "log-text-info-buffer-size": "lines are written at once, nothing is buffered",
};

/** Returns the groups with the flags marked that have no effect. */
export function withInertMarks(groups: readonly FlagGroup[]): readonly FlagGroup[] {
  return groups.map(({ name, flags }) => ({
    name,
    flags: flags.map((flag) => (flag.name in inertSchedulerFlags ? { ...flag, isInert: true } : flag)),
  }));
}

/** Returns the flags without effect that a command line has, with their reasons. */
export function givenInertFlags(
  groups: readonly FlagGroup[],
  parsedFlags: ParsedFlags,
): readonly { readonly flag: string; readonly reason: string }[] {
  return groups
    .flatMap(({ flags }) => flags)
    .flatMap((flag) => {
      const reason = inertSchedulerFlags[flag.name];
      return reason === undefined || !parsedFlags.isSet(flag) ? [] : [{ flag: `--${flag.name}`, reason }];
    });
}
