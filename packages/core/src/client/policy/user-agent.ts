// What a client calls itself, in the shape of Kubernetes' own clients: "operator/1.2.3 (linux/amd64) kubeloop/0.5.0".
import { basename } from "node:path";
import { coreVersion } from "./core-version.ts";

export interface UserAgentParts {
  /** The program; the script that this process runs, unless given. */
  readonly program?: string | undefined;
  /** Its version; as upstream, without what follows a dash. */
  readonly version?: string | undefined;
  /** This package's own unless given. */
  readonly kubeloopVersion?: string | undefined;
  /** In Go's words, as all other clients of a server have them; this machine's unless given. */
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

/** A script may have any name; a header may not hold every character. */
function toToken(text = ""): string {
  return text.replace(/[^!#$%&'*+.^_`|~0-9A-Za-z-]/g, "_") || "unknown";
}
