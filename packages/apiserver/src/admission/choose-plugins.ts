// Which plugins a server runs: upstream's defaults, more or fewer by name, in upstream's order.
import { KubeloopError } from "@kubeloop/core/base";
import type { AdmissionParts, AdmissionPlugin, NewPlugin } from "./plugin.ts";
import { defaultOnPlugins, isPluginName, orderedPluginNames, type PluginName } from "./plugin-order.ts";

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
  const overlap = [...new Set(enable)].filter((name) => disable.includes(name)).sort();
  // In kube-apiserver's words, which name its flags.
  const faults = [
    ...enable.flatMap((name) => (isPluginName(name) ? [] : [`enable-admission-plugins plugin "${name}" is unknown`])),
    ...disable.flatMap((name) => (isPluginName(name) ? [] : [`disable-admission-plugins plugin "${name}" is unknown`])),
    ...(overlap.length === 0
      ? []
      : [`[${overlap.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
    ...enable.flatMap((name) =>
      isPluginName(name) && !isWritten(name) ? [`enable-admission-plugins plugin "${name}" is not written yet`] : [],
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
