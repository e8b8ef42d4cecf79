// Which features are on: what `--feature-gates` says, over the defaults of the version that `--emulated-version` names. Promises upstream's
// complaints about names and values it does not know. Locked gates (GA, on) cannot be turned off.
import { type FeatureStage, knownFeatureGates } from "./known-feature-gates.ts";

export const binaryVersion = "1.36";
const oldestVersion = "1.33";

// What our defaults differ in from upstream's. The reasons are in docs/adr/0009-releasing-the-lease.md.
const ownDefaults: Readonly<Record<string, boolean>> = { ControllerManagerReleaseLeaderElectionLockOnExit: true };

export interface FeatureGate {
  readonly name: string;
  readonly stage: FeatureStage;
  readonly isOn: boolean;
}

export class FeatureGates {
  readonly #gates: ReadonlyMap<string, FeatureGate>;

  constructor(gates: readonly FeatureGate[]) {
    this.#gates = new Map(gates.map((gate) => [gate.name, gate]));
  }

  /** Throws for a name that is no feature gate: only the code's own mistake can ask for one. */
  isEnabled(name: string): boolean {
    const gate = this.#gates.get(name);
    if (gate === undefined) throw new Error(`no such feature gate: ${name}`);
    return gate.isOn;
  }

  all(): readonly FeatureGate[] {
    return [...this.#gates.values()];
  }
}

export interface FeatureGateOptions {
  /** Entries of `--feature-gates`, "kube:A=true" or "A=true". */
  readonly entries?: readonly string[];
  readonly emulatedVersion?: string;
}

export interface FeatureGateReading {
  readonly gates: FeatureGates;
  readonly faults: readonly string[];
}

export function readFeatureGates({
  entries = [],
  emulatedVersion = binaryVersion,
}: FeatureGateOptions): FeatureGateReading {
  const defaults = defaultGates(emulatedVersion);
  const settings = new Map<string, boolean>();
  const faults = entries.flatMap((entry) => {
    const fault = readEntry(entry, defaults, settings);
    return fault === undefined ? [] : [fault];
  });
  const gates = [...defaults.values()].map((gate) => ({
    ...gate,
    isOn: settings.get(gate.name) ?? stageWide(gate, settings),
  }));
  return { gates: new FeatureGates(gates), faults };
}

/** AllAlpha and AllBeta turn on or off what is not named by itself. */
function stageWide({ name, stage, isOn }: FeatureGate, settings: ReadonlyMap<string, boolean>): boolean {
  const all = stage === "ALPHA" ? settings.get("AllAlpha") : stage === "BETA" ? settings.get("AllBeta") : undefined;
  return name === "AllAlpha" || name === "AllBeta" ? isOn : (all ?? isOn);
}

function defaultGates(version: string): ReadonlyMap<string, FeatureGate> {
  const gates = Object.entries(knownFeatureGates).flatMap(([name, history]) => {
    const latest = history.findLast(([since]) => compareVersions(since, version) <= 0);
    if (latest === undefined) return [];
    const [, stage, isOn] = latest;
    return [[name, { name, stage, isOn: ownDefaults[name] ?? isOn }] as const];
  });
  return new Map(gates);
}

function readEntry(
  entry: string,
  known: ReadonlyMap<string, FeatureGate>,
  settings: Map<string, boolean>,
): string | undefined {
  const [component, text] = entry.includes(":") ? entry.split(":", 2) : ["kube", entry];
  if (component !== "kube") return `component not registered: ${component}`;
  if (text === undefined) return undefined;
  const at = text.indexOf("=");
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  if (at < 0) return `missing bool value for ${name}`;
  const value = text.slice(at + 1).trim();
  const isOn = /^(?:1|t|T|TRUE|true|True)$/.test(value);
  if (!isOn && !/^(?:0|f|F|FALSE|false|False)$/.test(value)) {
    return `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`;
  }
  const gate = known.get(name);
  if (gate === undefined) return `unrecognized feature gate: ${name}`;
  if (gate.stage === "GA" && gate.isOn && !isOn) {
    return `cannot set feature gate ${name} to ${isOn}, feature is locked to ${gate.isOn}`;
  }
  settings.set(name, isOn);
  return undefined;
}

export interface VersionFlags {
  /** Entries of `--emulated-version`: "kube=1.35" or "1.35". */
  readonly emulatedVersion: readonly string[];
  readonly minCompatibilityVersion: readonly string[];
}

/** The version to be like, and upstream's faults with what was given for it. */
export function readVersions(flags: VersionFlags): {
  readonly version: string;
  readonly minCompatibilityVersion: string;
  readonly faults: readonly string[];
} {
  const emulated = readVersion(flags.emulatedVersion);
  const oldest = readVersion(flags.minCompatibilityVersion);
  const unreadable = [emulated, oldest].flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  if (unreadable.length > 0) {
    return { version: binaryVersion, minCompatibilityVersion: oldestVersion, faults: unreadable.slice(0, 1) };
  }
  const version = emulated.version ?? binaryVersion;
  const faults: string[] = [];
  if (!isBetween(version, oldestVersion, binaryVersion)) {
    faults.push(`emulation version ${version} is not between [${oldestVersion}, ${binaryVersion}.0]`);
  }
  // Unless given, it is one below the emulated version, and never below the oldest.
  const compatible = oldest.version ?? (faults.length > 0 ? oldestVersion : undefined);
  if (compatible !== undefined && !isBetween(compatible, oldestVersion, version)) {
    faults.push(`minCompatibilityVersion version ${compatible} is not between [${oldestVersion}, ${version}]`);
  }
  const minCompatibilityVersion = compatible ?? oneBelow(version);
  return { version, minCompatibilityVersion, faults };
}

function oneBelow(version: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const below = `${major}.${minor - 1}`;
  return compareVersions(below, oldestVersion) < 0 ? oldestVersion : below;
}

function readVersion(entries: readonly string[]): { readonly version?: string; readonly fault?: string } {
  const entry = entries.at(-1);
  if (entry === undefined) return {};
  const [component, text] = entry.includes("=") ? entry.split("=", 2) : ["kube", entry];
  if (component !== "kube") return { fault: `component not registered: ${component}` };
  if (/^v?[0-9]+\.[0-9]+\.[0-9]+/.test(text ?? "")) return { fault: `patch version not allowed, got: ${entry}` };
  if (!/^v?[0-9]+\.[0-9]+$/.test(text ?? "")) return { fault: `illegal version string "${text}"` };
  return { version: (text ?? "").replace(/^v/, "") };
}

const isBetween = (version: string, least: string, most: string) =>
  compareVersions(version, least) >= 0 && compareVersions(version, most) <= 0;

function compareVersions(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split(".").map(Number);
  const [majorB = 0, minorB = 0] = b.split(".").map(Number);
  return majorA - majorB || minorA - minorB;
}
