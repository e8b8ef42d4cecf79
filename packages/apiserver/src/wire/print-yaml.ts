// YAML as a real server prints it: keys in order, every value written out where it stands.
import { type Clock, inFlight } from "@kubeloop/core/base";

export type PrintYaml = (value: object) => string;

/** Loaded when the first client asks for it. */
export async function yamlOn(clock: Clock): Promise<PrintYaml> {
  const { stringify } = await inFlight(clock, "loading yaml", () => import("yaml"));
  return (value) => stringify(value, { sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 });
}
