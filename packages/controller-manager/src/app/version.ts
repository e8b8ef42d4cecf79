// What `--version` prints. The version is Kubernetes': whose flags, metrics and behaviour this is.
export const gitVersion = "v1.36.4";

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
    platform: `${process.platform}/${process.arch}`,
  };
  return JSON.stringify(info);
}
