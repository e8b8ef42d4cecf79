// Which Kubernetes this server speaks, in the shape of `GET /version`.

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly platform: string;
}

/** The reference version: what the types, tables and rules of this project were read off. */
export const kubernetesVersion: VersionInfo = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.4",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};
