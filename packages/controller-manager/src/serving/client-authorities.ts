// The authorities of clients and of front proxies that the flags name. Those that the cluster publishes are read in core.
import { type ClientAuthorities, readAuthorities } from "@kubeloop/core/runtime";
import type { KubeControllerManagerOptions } from "../options/index.ts";

type Settings = KubeControllerManagerOptions["authentication"];

/** From the files that the flags name. */
export async function readGivenAuthorities(
  settings: Settings,
  readFile: (path: string) => Promise<string>,
): Promise<ClientAuthorities> {
  const { clientCAFile, requestHeaderClientCAFile: proxyFile } = settings;
  return {
    clientAuthorities: clientCAFile === "" ? [] : readAuthorities(await readFile(clientCAFile)),
    requestHeader:
      proxyFile === ""
        ? undefined
        : {
            authorities: readAuthorities(await readFile(proxyFile)),
            allowedNames: settings.requestHeaderAllowedNames,
            usernameHeaders: settings.requestHeaderUsernameHeaders,
            uidHeaders: settings.requestHeaderUIDHeaders,
            groupHeaders: settings.requestHeaderGroupHeaders,
            extraHeaderPrefixes: settings.requestHeaderExtraHeaderPrefixes,
          },
  };
}
