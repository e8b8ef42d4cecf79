// The certificates with which pods verify the API server, as the controllers that hand them out take them: those of `--root-ca-file`, or
// else those with which this process verifies the server itself.
//
// Where a kubeconfig names its authority as a file, upstream hands out nothing; here the file's certificates are handed out.
import { readFile } from "node:fs/promises";
import { inFlight } from "@kubeloop/core/base";
import { readAuthorities } from "@kubeloop/core/runtime";
import type { ControllerContext } from "./controller-context.ts";

/** PEM; empty where the server is not verified by an authority of its own. Throws for a file without certificates. */
export async function readRootCa({ componentConfig, clusterCa, clock }: RootCaSources): Promise<string> {
  const { rootCAFile: path } = componentConfig.saController;
  if (path === "") return clusterCa;
  try {
    const pem = await inFlight(clock, "root CA file", () => readFile(path, "utf8"));
    if (readAuthorities(pem).length === 0) {
      throw new Error("data does not contain any valid RSA or ECDSA certificates");
    }
    return pem;
  } catch (error) {
    throw new Error(`error parsing root-ca-file at ${path}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

export interface RootCaSources extends Pick<ControllerContext, "clusterCa" | "clock"> {
  readonly componentConfig: Pick<ControllerContext["componentConfig"], "saController">;
}
