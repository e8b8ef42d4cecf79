// What the process says of itself for people: /flagz, /statusz and /configz.
import { type ApiRequest, type ApiResponse, headerValue, type Transport } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { jsonResponse, textResponse } from "@kubeloop/core/runtime";
import { gitVersion } from "../app/version.ts";
import type { FlagGroup, ParsedFlags } from "../flags/index.ts";
import { binaryVersion } from "../options/index.ts";

const warning =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

/** Every flag with its value, by name. */
export function flagzHandler(component: string, flagGroups: readonly FlagGroup[], parsedFlags: ParsedFlags): Transport {
  const values = flagGroups
    .flatMap(({ flags }) => flags)
    .map((flag) => [flag.name, flag.type.print(parsedFlags.get(flag))] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = values.map(([name, value]) => `${name}=${value}`);
  const text = `\n${component} flagz\n${warning}\n${lines.join("\n")}\n`;
  return async (request) =>
    isWanted(request, "Flagz")
      ? structured("Flagz", component, { flags: Object.fromEntries(values) })
      : textResponse(200, text);
}

const structuredVersion = "v1beta1";

/** Whether the caller asks for upstream's structured form instead of text. */
function isWanted(request: ApiRequest, kind: "Flagz" | "Statusz"): boolean {
  const accepted = (headerValue(request.headers, "accept") ?? "").split(",").map((each) => each.split(";"));
  return accepted.some(([type = "", ...parameters]) => {
    const given = new Set(parameters.map((each) => each.trim()));
    const wanted = [`as=${kind}`, "g=config.k8s.io", `v=${structuredVersion}`];
    return type.trim() === "application/json" && wanted.every((each) => given.has(each));
  });
}

function structured(kind: "Flagz" | "Statusz", component: string, fields: object): ApiResponse {
  const apiVersion = `config.k8s.io/${structuredVersion}`;
  const response = jsonResponse(200, JSON.stringify({ kind, apiVersion, metadata: { name: component }, ...fields }));
  const contentType = `application/json;g=config.k8s.io;v=${structuredVersion};as=${kind}`;
  return { ...response, headers: { ...response.headers, "content-type": contentType } };
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
  return async (request) => {
    const upS = Math.floor((clock.now() - startedMs) / 1000);
    const emulation = emulatedVersion === "" ? binaryVersion : emulatedVersion;
    if (isWanted(request, "Statusz")) {
      return structured("Statusz", component, {
        startTime: new Date(startedMs).toISOString().replace(/\.\d+Z$/, "Z"),
        uptimeSeconds: upS,
        // The runtime's, as in kubernetes_build_info.
        goVersion: `node${process.versions.node}`,
        binaryVersion: gitVersion.slice(1),
        emulationVersion: emulation,
        paths: paths.toSorted(),
      });
    }
    const two = (value: number) => String(value).padStart(2, "0");
    const up = `${Math.floor(upS / 3600)} hr ${two(Math.floor(upS / 60) % 60)} min ${two(upS % 60)} sec`;
    const lines = [
      `Started= ${new Date(startedMs).toUTCString()}`,
      `Up= ${up}`,
      `Node version= ${process.version}`,
      `Binary version= ${gitVersion.slice(1)}`,
      `Emulation version= ${emulation}`,
      `Paths= ${paths.toSorted().join(" ")}`,
    ];
    return textResponse(200, `\n${component} statusz\n${warning}\n\n${lines.join("\n")}\n`);
  };
}

export function configzHandler(configz: () => unknown): Transport {
  return async () => jsonResponse(200, JSON.stringify(configz()));
}
