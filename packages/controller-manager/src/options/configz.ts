// The configuration as /configz serves it: upstream's KubeControllerManagerConfiguration v1alpha1, field by field. Each flag says where its
// value goes; what no flag sets is written out here.
import { controllerNames } from "@kubeloop/controllers";
import { type FlagStruct, printGoDuration } from "../flags/index.ts";
import { canonicalEntries } from "../select-controllers.ts";
import { controllerSections } from "./controller-options.ts";
import { debugging, generic, kubeCloudShared, leaderMigration } from "./generic-options.ts";
import type { ComponentConfig } from "./options.ts";

export const configzName = "kubecontrollermanager.config.k8s.io";

type Json = { [field: string]: unknown };

export function toConfigz(config: ComponentConfig): Json {
  const document: Json = { kind: "KubeControllerManagerConfiguration", apiVersion: `${configzName}/v1alpha1` };
  document["Generic"] = genericSection(config);
  document["KubeCloudShared"] = fill({ CloudProvider: {} }, kubeCloudShared, config.kubeCloudShared);
  document["DeprecatedController"] = {};
  for (const { key, configz, flags } of controllerSections) document[configz] = fill({}, flags, config[key]);
  addFixedFields(document, config);
  return { [configzName]: document };
}

function genericSection({ generic: settings }: ComponentConfig): Json {
  const section: Json = {
    Port: 0,
    Address: "0.0.0.0",
    ClientConnection: { kubeconfig: settings.kubeconfig, acceptContentTypes: "" },
    LeaderElection: {},
    Debugging: {},
    LeaderMigration: { leaderName: "", resourceLock: "", controllerLeaders: null },
  };
  const controllers = canonicalEntries(settings.controllers, controllerNames);
  for (const struct of [generic, debugging, leaderMigration]) fill(section, struct, { ...settings, controllers });
  return section;
}

// Settings that upstream's configuration has and no flag reaches.
function addFixedFields(document: Json, { nodeIPAMController }: ComponentConfig): void {
  const [ServiceCIDR = "", SecondaryServiceCIDR = ""] = nodeIPAMController.serviceCIDR
    .split(",")
    .map((one) => one.trim());
  Object.assign(document["NodeIPAMController"] as Json, { ServiceCIDR, SecondaryServiceCIDR });
  (document["NodeLifecycleController"] as Json)["PodEvictionTimeout"] = "0s";
  const volumes = (document["PersistentVolumeBinderController"] as Json)["VolumeConfiguration"] as Json;
  (volumes["PersistentVolumeRecyclerConfiguration"] as Json)["MaximumRetry"] = 3;
  (document["GarbageCollectorController"] as Json)["GCIgnoredResources"] = ["", "events.k8s.io"].map((Group) => ({
    Group,
    Resource: "events",
  }));
}

function fill(section: Json, struct: FlagStruct, settings: object): Json {
  for (const [key, { type, configz = fieldName(key) }] of Object.entries(struct)) {
    if (configz === null) continue;
    const value = (settings as Json)[key];
    const path = configz.split(".");
    let at = section;
    for (const step of path.slice(0, -1)) {
      at[step] ??= {};
      at = at[step] as Json;
    }
    at[path.at(-1) ?? ""] = type.name === "duration" ? printGoDuration(value as number) : value;
  }
  return section;
}

/** `namespaceSyncPeriodMs` → `NamespaceSyncPeriod`; the acronyms at a name's start are capitals all through. */
function fieldName(key: string): string {
  const name = key.replace(/Ms$/, "");
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
