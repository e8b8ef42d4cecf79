// What the process says of itself for people: /flagz, /statusz and /configz.
import type { Transport } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { jsonResponse, textResponse } from "@kubeloop/core/runtime";
import { gitVersion } from "../app/version.ts";
import { binaryVersion, flagGroups, type KubeControllerManagerOptions, toConfigz } from "../options/index.ts";

const component = "kube-controller-manager";
const warning =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

/** Every flag with its value, by name. */
export function flagzHandler({ parsedFlags }: KubeControllerManagerOptions): Transport {
  const lines = flagGroups
    .flatMap(({ flags }) => flags)
    .map((flag) => `${flag.name}=${flag.type.print(parsedFlags.get(flag))}`)
    .toSorted();
  return async () => textResponse(200, `\n${component} flagz\n${warning}\n${lines.join("\n")}\n`);
}

export interface StatuszOptions {
  readonly clock: Clock;
  readonly startedMs: number;
  readonly emulatedVersion: string;
  /** Of the endpoints that are no secret. */
  readonly paths: readonly string[];
}

export function statuszHandler({ clock, startedMs, emulatedVersion, paths }: StatuszOptions): Transport {
  return async () => {
    const upS = Math.floor((clock.now() - startedMs) / 1000);
    const two = (value: number) => String(value).padStart(2, "0");
    const up = `${Math.floor(upS / 3600)} hr ${two(Math.floor(upS / 60) % 60)} min ${two(upS % 60)} sec`;
    const lines = [
      `Started= ${new Date(startedMs).toUTCString()}`,
      `Up= ${up}`,
      `Node version= ${process.version}`,
      `Binary version= ${gitVersion.slice(1)}`,
      `Emulation version= ${emulatedVersion === "" ? binaryVersion : emulatedVersion}`,
      `Paths= ${paths.toSorted().join(" ")}`,
    ];
    return textResponse(200, `\n${component} statusz\n${warning}\n\n${lines.join("\n")}\n`);
  };
}

export function configzHandler({ componentConfig }: KubeControllerManagerOptions): Transport {
  return async () => jsonResponse(200, JSON.stringify(toConfigz(componentConfig)));
}
