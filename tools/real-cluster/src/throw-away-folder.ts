// The folder a cluster lives in: certificates, tokens, kubeconfigs, etcd's data, logs. Only its owner may look inside, and
// each secret has mode 0600 besides. Short, because the path of a Unix socket may have about 100 characters.
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const createFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "kubeloop-real-"));

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** Writes files that nobody but their owner may read. */
export async function writeSecrets(contentsByPath: ReadonlyMap<string, string>): Promise<void> {
  await Promise.all([...contentsByPath].map(([path, contents]) => writeFile(path, contents, { mode: 0o600 })));
}

/** The key that signs service-account tokens, and the one that checks them. */
export function createServiceAccountKeys(): { readonly privatePem: string; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "sec1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  return { privatePem: privateKey, publicPem: publicKey };
}
