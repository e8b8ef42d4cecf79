// The certificate authorities that a server's certificate is verified with. A transport reads them before it connects, and opens
// new connections when the generation has increased, because a cluster may rotate its CA while a client runs.
import { parseCertificates } from "./client-certificate.ts";
import { CredentialsError } from "./credentials-error.ts";
import { type RereadContext, RereadFiles } from "./reread-files.ts";

export interface CaCertificates {
  /** PEM text; undefined means the platform's own roots. */
  readonly pem: string | undefined;
  readonly generation: number;
}

export interface CaBundle {
  current(signal: AbortSignal): Promise<CaCertificates>;
}

const rereadMs = 60_000;

/** The roots the platform trusts. */
export const systemCaBundle: CaBundle = constant(undefined);

/** Throws if the text contains no certificate. */
export function inlineCaBundle(pem: string): CaBundle {
  parseCertificates(pem);
  return constant(pem);
}

export function fileCaBundle(path: string, context: RereadContext): CaBundle {
  const file = new RereadFiles({
    ...context,
    paths: [path],
    everyMs: rereadMs,
    decode: (pem) => checkBundle(pem, path),
  });
  return {
    async current(signal) {
      const { value, generation } = await file.current(signal);
      return { pem: value, generation };
    },
  };
}

function checkBundle(pem: string, path: string): string {
  try {
    parseCertificates(pem);
    return pem;
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : "cannot be parsed";
    throw new CredentialsError(`${path}: ${fault}`, { reason: "Invalid", cause });
  }
}

function constant(pem: string | undefined): CaBundle {
  const certificates: CaCertificates = { pem, generation: 1 };
  return {
    async current(signal) {
      signal.throwIfAborted();
      return certificates;
    },
  };
}
