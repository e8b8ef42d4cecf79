// Which objects a command is about, as its arguments and flags say: by type and name, by selectors, or by files.
import { manifestFlags } from "./manifests.ts";
import { type ClusterFlags, clusterFlags } from "./open-cluster.ts";
import type { AskedObjects } from "./resource-args.ts";
import { type Selection, type SelectionValues, selectionFlags, selectionOf } from "./targets.ts";

export interface ObjectChoice {
  readonly cluster: ClusterFlags;
  readonly asked: AskedObjects;
  readonly filenames: readonly string[];
  readonly isRecursive: boolean;
  readonly selection: Selection;
}

export const choiceFlags = { ...clusterFlags, ...manifestFlags, ...selectionFlags } as const;

interface ChoiceValues extends ClusterFlags, SelectionValues {
  readonly filename: readonly string[];
  readonly recursive?: boolean | undefined;
}

export function objectChoiceOf(flags: ChoiceValues, asked: AskedObjects): ObjectChoice {
  return {
    cluster: flags,
    asked,
    filenames: flags.filename,
    isRecursive: flags.recursive === true,
    selection: selectionOf(flags),
  };
}
