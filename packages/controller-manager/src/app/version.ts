// What `--version` prints. The version is Kubernetes': whose flags, metrics and behaviour this is.
export const gitVersion = "v1.36.4";

/** Of Go's names for machines, those that differ from Node's. */
const goArchitectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/** As Go names it: "linux/amd64". */
export const platform = `${process.platform}/${goArchitectures[process.arch] ?? process.arch}`;

/** `request` is the flag's value: "true", "raw", or a version to say instead. */
export function version(request: string): string {
  if (request !== "raw") return `Kubernetes ${request.startsWith("v") ? request : gitVersion}`;
  const [major = "", minor = ""] = gitVersion.slice(1).split(".");
  const info = {
    major,
    minor,
    gitVersion,
    compiler: "node",
    nodeVersion: process.version,
    platform,
  };
  return JSON.stringify(info);
}
