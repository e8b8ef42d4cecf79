// The serving certificate of a server, and its renewal while the server runs. The files are read again periodically and on demand, and
// compared by content, because mounted secrets are replaced by symbolic links, and a file watch does not reliably report that.
//
// Promises: a new pair is used only if its key belongs to its certificate. Otherwise the old pair stays, and the log and a metric report
// it. Certificate, key and client CAs change together. Only the first read can fail.
import { createPrivateKey, X509Certificate } from "node:crypto";
import {
  type Clock,
  defaultLog,
  inFlight,
  isAborted,
  KubeloopError,
  Listeners,
  type Log,
  type Metrics,
  noMetrics,
  SharedWork,
  systemClock,
  toError,
} from "../../base/index.ts";
import { type CertificatePair, type Host, nodeHost } from "../../client/index.ts";

export interface ServedCertificate extends CertificatePair {
  /** The CAs that must have signed the certificates of clients; client certificates are not required unless given. */
  readonly clientCaPem?: string;
  /** The wall time at which the certificate expires. */
  readonly expiresMs: number;
}

export interface ServingCertificate {
  /** Undefined before the first read. */
  readonly current: ServedCertificate | undefined;
  /** Reads the certificate now. Returns true if it has changed. Throws only if no valid certificate has been read before. */
  reload(signal: AbortSignal): Promise<boolean>;
  /** Called with each new certificate. */
  subscribe(listener: (certificate: ServedCertificate) => void): Disposable;
  /** Reads the certificate periodically until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ServingCertificateOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile?: string;
  /** The interval between two reads; 10 s unless given. */
  readonly everyMs?: number;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly metrics?: Metrics;
  /** Reads the files; the file system of this machine unless given. */
  readonly host?: Pick<Host, "readFile">;
}

export const certificateMetricDefinitions = {
  reads: { name: "certwatcher_read_certificate_total", help: "Total number of certificate reads" },
  errors: { name: "certwatcher_read_certificate_errors_total", help: "Total number of certificate read errors" },
} as const;

export class ServingCertificateFiles implements ServingCertificate {
  readonly #options: ServingCertificateOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #reads;
  readonly #errors;
  readonly #listeners: Listeners<ServedCertificate>;
  readonly #read: SharedWork<boolean>;
  #texts: readonly string[] = [];
  #current: ServedCertificate | undefined;

  constructor(options: ServingCertificateOptions) {
    const { clock = systemClock, log = defaultLog, metrics = noMetrics, certFile } = options;
    this.#options = options;
    this.#clock = clock.labelled({ kind: "background", name: `certificate ${certFile}` });
    this.#log = log.with({ certFile });
    this.#reads = metrics.counter(certificateMetricDefinitions.reads).labels({});
    this.#errors = metrics.counter(certificateMetricDefinitions.errors).labels({});
    this.#listeners = new Listeners((error) =>
      this.#log.error("new certificate was not taken", { error: toError(error) }),
    );
    this.#read = new SharedWork((signal) => inFlight(clock, `reading ${certFile}`, () => this.#readNow(signal)));
  }

  get current(): ServedCertificate | undefined {
    return this.#current;
  }

  subscribe(listener: (certificate: ServedCertificate) => void): Disposable {
    return this.#listeners.subscribe(listener);
  }

  async reload(signal: AbortSignal): Promise<boolean> {
    return await this.#read.join(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#clock.sleep(this.#options.everyMs ?? 10_000, signal);
        await this.reload(signal);
      }
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
    }
  }

  async #readNow(signal: AbortSignal): Promise<boolean> {
    const { certFile, keyFile, clientCaFile, host = nodeHost } = this.#options;
    const paths = [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])];
    this.#reads.inc();
    try {
      const texts = await Promise.all(paths.map((path) => host.readFile(path, signal)));
      if (this.#current !== undefined && texts.every((text, index) => text === this.#texts[index])) return false;
      this.#current = checkCertificate(texts[0] ?? "", texts[1] ?? "", texts[2]);
      this.#texts = texts;
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      this.#errors.inc();
      if (this.#current === undefined) throw unusable(certFile, error);
      this.#log.error("certificate could not be read again, the old one stays", { error: toError(error) });
      return false;
    }
    this.#log.info("certificate read", { expires: new Date(this.#current.expiresMs).toISOString() });
    this.#listeners.emit(this.#current);
    return true;
  }
}

/** Returns a certificate that never changes. Throws if the key does not belong to the certificate. */
export function fixedCertificate(pair: CertificatePair & { readonly clientCaPem?: string }): ServingCertificate {
  const current = checkCertificate(pair.certificatePem, pair.keyPem, pair.clientCaPem);
  return {
    current,
    reload: async () => false,
    subscribe: () => ({ [Symbol.dispose]() {} }),
    run: async () => {},
  };
}

function checkCertificate(certificatePem: string, keyPem: string, clientCaPem?: string): ServedCertificate {
  const certificate = new X509Certificate(certificatePem);
  if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) {
    throw new KubeloopError("the key does not belong to the certificate", { reason: "Invalid" });
  }
  if (clientCaPem !== undefined) new X509Certificate(clientCaPem);
  const expiresMs = Date.parse(certificate.validTo);
  return { certificatePem, keyPem, expiresMs, ...(clientCaPem === undefined ? {} : { clientCaPem }) };
}

function unusable(certFile: string, cause: unknown): KubeloopError {
  return new KubeloopError(`certificate ${certFile} cannot be used: ${toError(cause).message}`, {
    reason: "Certificate",
    cause,
  });
}
