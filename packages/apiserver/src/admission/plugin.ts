// What an admission plugin is. Each is one file in plugins/, under its name in upstream; NamespaceLifecycle is the one to copy.
//
// Promises
// - `admit` runs before the object is prepared and validated by its kind's rules, and may change it. `validate` runs afterwards, on what will be
//   stored, and changes nothing. Both refuse by throwing a StatusError.
// - A plugin is asked only for the operations and resources it handles. It may be asked again with a newer old object, and for requests that are
//   refused in the end or are dry runs: it has no effect but on the object. Whatever must be taken together with the write is a reservation.
import { newForbidden, type StatusError } from "@kubeloop/core/api";
import type { Clock, Random } from "@kubeloop/core/base";
import type { Authorizer } from "../authorization/attributes.ts";
import type { Storage } from "../storage/storage.ts";
import type { AdmissionAttributes, Operation } from "./attributes.ts";
import type { PluginName } from "./plugin-order.ts";

export interface AdmissionPlugin {
  readonly name: PluginName;
  readonly handles: readonly Operation[];
  /** By collection ("pods", "storage.k8s.io/storageclasses"), subresources included; everything unless given. */
  readonly resources?: readonly string[];
  admit?(attributes: AdmissionAttributes): Promise<void>;
  validate?(attributes: AdmissionAttributes): Promise<void>;
}

/** What plugins may look at beside the attributes. */
export interface AdmissionParts {
  readonly storage: Pick<Storage, "get" | "list">;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
}

export type NewPlugin = (parts: AdmissionParts) => AdmissionPlugin;

/** 403 in the words of upstream's admission. */
export function admissionForbidden(attributes: AdmissionAttributes, detail: string): StatusError {
  const { group, resource } = attributes.resource;
  return newForbidden({ group, resource }, objectNameOf(attributes), { detail });
}

/** Of an object that has no name yet, what its name will begin with. */
function objectNameOf({ name, object }: AdmissionAttributes): string {
  if (name !== "") return name;
  const { name: own = "", generateName = "" } = object?.metadata ?? {};
  if (own !== "") return own;
  return generateName === "" ? "Unknown" : generateName;
}
