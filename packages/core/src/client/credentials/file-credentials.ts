// Credentials in files: a bearer token, or a client certificate with its key. Rotation needs no restart.

import { checkPair } from "./client-certificate.ts";
import { bearer, type Credential, type Credentials, isSameCredential } from "./credentials.ts";
import { CredentialsError } from "./credentials-error.ts";
import { type FileVersion, type RereadContext, RereadFiles } from "./reread-files.ts";

// As in client-go: a token is cached for a minute, less ten seconds of leeway. A projected token lives ten minutes at least
// and is replaced after 80 % of its lifetime.
const tokenRereadMs = 50_000;
const certificateRereadMs = 60_000;

export interface TokenFileOptions extends RereadContext {
  readonly path: string;
  /** The token used until the file can be read for the first time. */
  readonly fallbackToken?: string;
}

/** A bearer token in a file; surrounding white space is removed. */
export function tokenFileCredentials(options: TokenFileOptions): Credentials {
  const { path, fallbackToken, ...context } = options;
  const file = new RereadFiles<Credential>({
    ...context,
    paths: [path],
    everyMs: tokenRereadMs,
    decode: (text) => ({ headers: bearer(checkToken(text, path)) }),
  });
  const credentials = fileCredentials(file, ({ value }) => value);
  return fallbackToken === undefined ? credentials : withFallback(credentials, { headers: bearer(fallbackToken) });
}

export interface CertificateFilesOptions extends RereadContext {
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** A client certificate and its key. A new pair is used only if both files match. */
export function certificateFileCredentials(options: CertificateFilesOptions): Credentials {
  const { certificatePath, keyPath, ...context } = options;
  const files = new RereadFiles({
    ...context,
    paths: [certificatePath, keyPath],
    everyMs: certificateRereadMs,
    decode: checkPair,
  });
  return fileCredentials(files, ({ value, generation }) => ({ headers: {}, certificate: { ...value, generation } }));
}

function fileCredentials<T>(file: RereadFiles<T>, toCredential: (version: FileVersion<T>) => Credential): Credentials {
  return {
    current: async (signal) => toCredential(await file.current(signal)),
    rejected: async (shown, signal) => !isSameCredential(toCredential(await file.reread(signal)), shown),
  };
}

function withFallback(credentials: Credentials, fallback: Credential): Credentials {
  const unlessUnreadable = async (ask: () => Promise<Credential>) => {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof CredentialsError) return fallback;
      throw error;
    }
  };
  return {
    current: (signal) => unlessUnreadable(() => credentials.current(signal)),
    async rejected(shown, signal) {
      const now = await unlessUnreadable(async () => {
        await credentials.rejected(shown, signal);
        return await credentials.current(signal);
      });
      return !isSameCredential(now, shown);
    },
  };
}

function checkToken(text: string, path: string): string {
  const token = text.trim();
  if (token === "") throw new CredentialsError(`${path}: holds no token`, { reason: "Invalid" });
  return token;
}
