// The User-Agent of a client, in the form of Kubernetes' own clients: "operator/1.2.3 (linux/amd64) kubeloop/0.5.0".
import { basename } from "node:path";
import { coreVersion } from "./core-version.ts";

export interface UserAgentParts {
  /** The program. Default: the script that this process runs. */
  readonly program?: string | undefined;
  /** The program's version; as upstream, without the part after a dash. */
  readonly version?: string | undefined;
  /** Default: the version of this package. */
  readonly kubeloopVersion?: string | undefined;
  /** With Go's names, as other clients send them. Default: this machine's. */
  readonly os?: string | undefined;
  readonly arch?: string | undefined;
}

const goSystems = new Map([["win32", "windows"]]);
const goArchitectures = new Map([
  ["x64", "amd64"],
  ["ia32", "386"],
  ["mipsel", "mipsle"],
  ["ppc64", "ppc64le"],
]);

export function printUserAgent(parts: UserAgentParts = {}): string {
  const program = toToken(parts.program ?? basename(process.argv[1] ?? process.argv0));
  const version = toToken(parts.version?.split("-", 1)[0]);
  const os = toToken(parts.os ?? goSystems.get(process.platform) ?? process.platform);
  const arch = toToken(parts.arch ?? goArchitectures.get(process.arch) ?? process.arch);
  return `${program}/${version} (${os}/${arch}) kubeloop/${toToken(parts.kubeloopVersion ?? coreVersion)}`;
}

/** Replaces characters that a header must not contain, because a script may have any name. */
function toToken(text = ""): string {
  return text.replace(/[^!#$%&'*+.^_`|~0-9A-Za-z-]/g, "_") || "unknown";
}
