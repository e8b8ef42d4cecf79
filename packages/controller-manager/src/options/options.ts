// All options of kube-controller-manager: the groups of flags in `--help`'s order, and what a command line makes of them.
import {
  type AnyFlag,
  type FlagGroup,
  type FlagStruct,
  type ParsedFlags,
  parseFlags,
  type SettingsOf,
} from "../flags/index.ts";
import { controllerSections } from "./controller-options.ts";
import { componentGlobals, debugging, generic, kubeCloudShared, leaderMigration, misc } from "./generic-options.ts";
import { global, kubeloop, logs, metrics } from "./observability-options.ts";
import { authentication, authorization, secureServing } from "./serving-options.ts";

type Section = (typeof controllerSections)[number];
type ControllerSettings = { readonly [S in Section as S["key"]]: SettingsOf<S["flags"]> };

/** The configuration that /configz tells: one struct of settings per section. */
export interface ComponentConfig extends ControllerSettings {
  readonly generic: SettingsOf<typeof generic & typeof debugging & typeof leaderMigration & typeof misc>;
  readonly kubeCloudShared: SettingsOf<typeof kubeCloudShared>;
}

/** What every component of a control plane has: endpoints, who may read them, metrics, logs, feature gates. */
export interface ComponentOptions {
  readonly componentGlobals: SettingsOf<typeof componentGlobals>;
  readonly secureServing: SettingsOf<typeof secureServing>;
  readonly authentication: SettingsOf<typeof authentication>;
  readonly authorization: SettingsOf<typeof authorization>;
  readonly metrics: SettingsOf<typeof metrics>;
  readonly logs: SettingsOf<typeof logs>;
  readonly global: SettingsOf<typeof global>;
  readonly parsedFlags: ParsedFlags;
}

export interface KubeControllerManagerOptions extends ComponentOptions {
  readonly componentConfig: ComponentConfig;
  readonly kubeloop: SettingsOf<typeof kubeloop>;
}

const serviceSections = controllerSections.filter(({ key }) => key === "serviceController");
const otherSections = controllerSections.filter(({ key }) => key !== "serviceController");
const groupOf = ({ controller, flags }: Section): FlagGroup => ({ name: controller, flags: flagsOf(flags) });

/** In the order of `--help`. */
export const flagGroups: readonly FlagGroup[] = [
  { name: "debugging", flags: flagsOf(debugging) },
  { name: "leader-migration", flags: flagsOf(leaderMigration) },
  { name: "generic", flags: flagsOf(generic, kubeCloudShared, componentGlobals) },
  ...serviceSections.map(groupOf),
  { name: "secure serving", flags: flagsOf(secureServing) },
  { name: "authentication", flags: flagsOf(authentication) },
  { name: "authorization", flags: flagsOf(authorization) },
  ...otherSections.map(groupOf),
  { name: "metrics", flags: flagsOf(metrics) },
  { name: "logs", flags: flagsOf(logs) },
  { name: "misc", flags: flagsOf(misc) },
  { name: "global", flags: flagsOf(global) },
  { name: "kubeloop", flags: flagsOf(kubeloop) },
];

/** Throws a FlagError for a command line that cannot be read. */
export function parseOptions(args: readonly string[]): KubeControllerManagerOptions {
  const parsedFlags = parseFlags(flagGroups, args);
  const settings = <S extends FlagStruct>(struct: S) => parsedFlags.settingsOf(struct);
  const sections = controllerSections.map(({ key, flags }) => [key, settings(flags as FlagStruct)]);
  return {
    componentConfig: {
      ...(Object.fromEntries(sections) as unknown as ControllerSettings),
      generic: { ...settings(generic), ...settings(debugging), ...settings(leaderMigration), ...settings(misc) },
      kubeCloudShared: settings(kubeCloudShared),
    },
    componentGlobals: settings(componentGlobals),
    secureServing: settings(secureServing),
    authentication: settings(authentication),
    authorization: settings(authorization),
    metrics: settings(metrics),
    logs: settings(logs),
    global: settings(global),
    kubeloop: settings(kubeloop),
    parsedFlags,
  };
}

export function flagsOf(...structs: readonly FlagStruct[]): readonly AnyFlag[] {
  return structs.flatMap((struct) => Object.values(struct));
}
