// Which plugins a server runs: upstream's defaults, more or fewer by name, in upstream's order.
import { KubeloopError } from "@kubeloop/core/base";
import type { AdmissionParts, AdmissionPlugin, NewPlugin } from "./plugin.ts";
import { defaultOnPlugins, isPluginName, orderedPluginNames, type PluginName } from "./plugin-names.ts";

export interface PluginChoice {
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
}

/** On by default in upstream, off here: it refuses pods until a controller has made their namespace's accounts. */
const offUntilAsked: ReadonlySet<PluginName> = new Set<PluginName>(["ServiceAccount"]);

/** Throws a KubeloopError for a name that upstream does not know, that is on both lists, or that is asked for and not written. */
export function choosePluginNames(
  choice: PluginChoice,
  isWritten: (name: PluginName) => boolean,
): readonly PluginName[] {
  const { enableAdmissionPlugins: enable = [], disableAdmissionPlugins: disable = [] } = choice;
  const faults = [
    ...enable.flatMap((name) => (isPluginName(name) ? [] : [`enableAdmissionPlugins: plugin "${name}" is unknown`])),
    ...disable.flatMap((name) => (isPluginName(name) ? [] : [`disableAdmissionPlugins: plugin "${name}" is unknown`])),
    ...enable.flatMap((name) => (disable.includes(name) ? [`plugin "${name}" is both enabled and disabled`] : [])),
    ...enable.flatMap((name) =>
      isPluginName(name) && !isWritten(name) ? [`enableAdmissionPlugins: plugin "${name}" is not written yet`] : [],
    ),
  ];
  if (faults.length > 0) throw new KubeloopError(faults.join("; "), { reason: "Invalid", retry: "never" });
  return orderedPluginNames.filter((name) => {
    if (enable.includes(name)) return true;
    return isWritten(name) && defaultOnPlugins.has(name) && !offUntilAsked.has(name) && !disable.includes(name);
  });
}

export function newPlugins(
  names: readonly PluginName[],
  written: ReadonlyMap<PluginName, NewPlugin>,
  parts: AdmissionParts,
): readonly AdmissionPlugin[] {
  return names.flatMap((name) => written.get(name)?.(parts) ?? []);
}
