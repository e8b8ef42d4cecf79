// Serves admission and conversion webhooks over TLS. Each admission webhook has a path; all converters share `/convert`.
//
//   const server = new WebhookServer({ certificate: new ServingCertificateFiles({ certFile, keyFile }) });
//   server.add(defaults, rules, convertFoos);
//   manager.add(server);
//
// Promises: the response to every review that can be decoded has the uid of the review. If a webhook throws, its review is refused with 500,
// and other webhooks are not affected. `run` ends only after the reviews in progress. `handler` answers like the server, but without a socket.
import type { Transport } from "../../api/index.ts";
import {
  type Clock,
  defaultLog,
  KubeloopError,
  type Log,
  type Metrics,
  noMetrics,
  systemClock,
} from "../../base/index.ts";
import { HttpServer, type HttpServerOptions, notFoundResponse, type ServingCertificate } from "../serving/index.ts";
import { decodeAdmissionReview, printAdmissionReview } from "./admission-review.ts";
import type { AdmissionContext, AdmissionWebhook } from "./admission-webhook.ts";
import { convertAll, decodeConversionReview, printConversionReview } from "./conversion-review.ts";
import type { Converter } from "./converter.ts";
import type { ExactJson } from "./exact-json.ts";
import { reviewHandler } from "./review-handler.ts";
import { type WebhookMetrics, webhookMetrics } from "./webhook-metrics.ts";

export interface WebhookServerOptions extends Omit<HttpServerOptions, "port" | "certificate" | "maxRequestBytes"> {
  readonly certificate: ServingCertificate;
  /** 9443 unless given; 0 for a free port. */
  readonly port?: number;
  /** 7 MiB unless given: enough for two objects of the maximum size. */
  readonly maxAdmissionBytes?: number;
  /** 128 MiB unless given, because one review may contain all objects of a list. */
  readonly maxConversionBytes?: number;
  readonly metrics?: Metrics;
}

export const convertPath = "/convert";
export const defaultWebhookPort = 9443;

export class WebhookServer {
  readonly name = "webhook-server";
  readonly group = "webhooks";
  readonly needsLeaderElection = false;
  /** Answers reviews as the server does, but without a socket. */
  readonly handler: Transport;
  readonly #options: WebhookServerOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #counted: WebhookMetrics;
  readonly #server: HttpServer;
  readonly #routes = new Map<string, Transport>();
  readonly #converters = new Map<string, Converter>();
  /** Reviews in progress, including those that continue after their timeout. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: WebhookServerOptions) {
    const { port = defaultWebhookPort, clock = systemClock, log = defaultLog, metrics = noMetrics } = options;
    const { maxAdmissionBytes = 7 * 1024 * 1024, maxConversionBytes = 128 * 1024 * 1024 } = options;
    this.#options = { ...options, maxAdmissionBytes, maxConversionBytes };
    this.#clock = clock;
    this.#log = log;
    this.#counted = webhookMetrics(metrics);
    this.handler = async (request, signal) =>
      (await this.#routes.get(request.path)?.(request, signal)) ?? notFoundResponse();
    const maxRequestBytes = Math.max(maxAdmissionBytes, maxConversionBytes);
    this.#server = new HttpServer(this.name, this.handler, { ...options, port, maxRequestBytes });
  }

  /** Adds webhooks; may be called while the server runs. Throws if a path is in use, or a kind already has a converter. */
  add(...webhooks: readonly (AdmissionWebhook | Converter)[]): this {
    for (const webhook of webhooks) {
      if (webhook.kind === "converter") this.#addConverter(webhook);
      else
        this.#addRoute(webhook.path, this.#options.maxAdmissionBytes, (body, signal) =>
          this.#admit(webhook, body, signal),
        );
    }
    return this;
  }

  get port(): number {
    return this.#server.port;
  }

  async whenReady(signal: AbortSignal): Promise<void> {
    await this.#server.whenReady(signal);
  }

  /** Returns what is wrong, for `/readyz`. */
  findFault(): string | undefined {
    const { state } = this.#server;
    if (state === "new" || state === "opening") return "webhook server has not been started yet";
    if (state !== "listening") return "webhook server has been stopped";
    const expiresMs = this.#options.certificate.current?.expiresMs ?? Number.POSITIVE_INFINITY;
    if (expiresMs > this.#clock.now()) return undefined;
    return `the certificate of the webhook server ended at ${new Date(expiresMs).toISOString()}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#server.run(signal);
    } finally {
      await Promise.allSettled(this.#underWay);
    }
  }

  #addConverter(converter: Converter): void {
    if (this.#converters.has(converter.name)) throw misuse(`${converter.name} has a converter already`);
    this.#converters.set(converter.name, converter);
    if (this.#routes.has(convertPath)) return;
    this.#addRoute(convertPath, this.#options.maxConversionBytes, (body, signal) => this.#convert(body, signal));
  }

  #addRoute(
    path: string,
    maxBytes = Number.POSITIVE_INFINITY,
    review: (body: ExactJson, signal: AbortSignal) => Promise<string>,
  ): void {
    if (this.#routes.has(path)) throw misuse(`there is a webhook at ${path} already`);
    const counted = this.#counted.ofPath(path);
    const onWork = (work: Promise<unknown>) => {
      this.#underWay.add(work);
      void work.catch(() => {}).finally(() => this.#underWay.delete(work));
    };
    this.#routes.set(path, reviewHandler({ clock: this.#clock, maxBytes, counted, review, onWork }));
  }

  async #admit(webhook: AdmissionWebhook, body: ExactJson, signal: AbortSignal): Promise<string> {
    const review = decodeAdmissionReview(body.value);
    const { request } = review;
    const warnings: string[] = [];
    const auditAnnotations: Record<string, string> = {};
    const context: AdmissionContext = {
      request,
      warn: (warning) => void warnings.push(warning),
      annotate: (key, value) => {
        auditAnnotations[key] = value;
      },
    };
    const answer = await webhook.review(context, signal);
    const said = { warnings, auditAnnotations };
    if (answer.isAllowed) {
      const patch = answer.patch.length === 0 ? {} : { patch: body.print(answer.patch) };
      return printAdmissionReview(review, { isAllowed: true, ...patch, ...said });
    }
    const { status, panic } = answer;
    if (panic !== undefined) {
      this.#counted.panic("admission");
      this.#log.error("webhook failed", { webhook: webhook.name, error: panic, ...describe(request) });
    }
    return printAdmissionReview(review, { isAllowed: false, status, ...said });
  }

  async #convert(body: ExactJson, signal: AbortSignal): Promise<string> {
    const review = decodeConversionReview(body.value);
    const conversion = await convertAll(review, this.#converters.values(), { clock: this.#clock, signal });
    for (const { object, error } of conversion.failures) {
      if (!(error instanceof KubeloopError)) this.#counted.panic("conversion");
      this.#log.error("object cannot be converted", { object, error, to: review.desiredApiVersion });
    }
    return printConversionReview(review, conversion, (value) => body.print(value));
  }
}

function describe({ uid, operation, namespace, name, kind }: AdmissionContext["request"]) {
  return { uid, operation, namespace, name, kind: kind.kind };
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
