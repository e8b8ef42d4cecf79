// What the process says of itself for people: /flagz, /statusz and /configz.
import type { Transport } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { jsonResponse, textResponse } from "@kubeloop/core/runtime";
import { gitVersion } from "../app/version.ts";
import type { FlagGroup, ParsedFlags } from "../flags/index.ts";
import { binaryVersion } from "../options/index.ts";

const warning =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

/** Every flag with its value, by name. */
export function flagzHandler(component: string, flagGroups: readonly FlagGroup[], parsedFlags: ParsedFlags): Transport {
  const lines = flagGroups
    .flatMap(({ flags }) => flags)
    .map((flag) => `${flag.name}=${flag.type.print(parsedFlags.get(flag))}`)
    .toSorted();
  return async () => textResponse(200, `\n${component} flagz\n${warning}\n${lines.join("\n")}\n`);
}

export interface StatuszOptions {
  readonly component: string;
  readonly clock: Clock;
  readonly startedMs: number;
  readonly emulatedVersion: string;
  /** Of the endpoints that are no secret. */
  readonly paths: readonly string[];
}

export function statuszHandler({ component, clock, startedMs, emulatedVersion, paths }: StatuszOptions): Transport {
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

export function configzHandler(configz: () => unknown): Transport {
  return async () => jsonResponse(200, JSON.stringify(configz()));
}
