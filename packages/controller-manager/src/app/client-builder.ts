// Clients for controllers: each has its own, with its own name and its own rate limit.
//
// The root builder speaks as the manager itself. With `--use-service-account-credentials`, the other one speaks for each controller as its
// service account in kube-system: it creates the account if it is missing, asks for a token (TokenRequest, an hour), and renews it at four
// fifths of its time, and when the server refuses it. Tokens are shared by all clients of one account.
import { type authenticationv1, isAlreadyExists, parseTime } from "@kubeloop/core/api";
import { type Clock, KubeloopError, type Metrics, noLog } from "@kubeloop/core/base";
import { type Client, type Credentials, type FetchedCredential, functionCredentials } from "@kubeloop/core/client";
import { serviceAccounts } from "@kubeloop/core/resources";
import { gitVersion, platform } from "./version.ts";

export interface ClientLimits {
  readonly qps: number;
  readonly burst: number;
}

/** Some controllers may ask more often than others: by factors, or so often whatever the flags say. */
export interface LimitFactors {
  readonly qpsTimes?: number;
  readonly burstTimes?: number;
  readonly qps?: number;
  readonly burst?: number;
}

export interface ControllerClientBuilder {
  /** For this part of the manager; a controller's is named like its service account. */
  clientFor(name: string, limits?: LimitFactors): Client;
}

/** As upstream's: the program, its version and machine, what it is built of, and who in it. */
export const userAgentOf = (name: string, component: ComponentName = "kube-controller-manager") =>
  `${component}/${gitVersion} (${platform}) kubeloop/${name}`;

/** The programs of this package. */
export type ComponentName = "kube-controller-manager" | "kube-scheduler";

export class RootClientBuilder implements ControllerClientBuilder {
  readonly #root: Client;
  readonly #limits: ClientLimits;
  readonly #metrics: Metrics | undefined;

  constructor(root: Client, limits: ClientLimits, metrics?: Metrics) {
    this.#root = root;
    this.#limits = limits;
    this.#metrics = metrics;
  }

  clientFor(name: string, { qpsTimes = 1, burstTimes = 1, ...fixed }: LimitFactors = {}): Client {
    const { qps, burst } = this.#limits;
    // As upstream, the manager is silent about the server's warnings: it watches every API there is, deprecated ones among them.
    const log = noLog;
    return this.#root.with({
      qps: qps * qpsTimes,
      burst: burst * burstTimes,
      ...fixed,
      log,
      ...(this.#metrics === undefined ? {} : { metrics: this.#metrics }),
      userAgent: userAgentOf(name),
    });
  }
}

export interface ServiceAccountClientBuilderOptions {
  readonly clock: Clock;
  /** Whether the part of this name speaks as a service account of the same name; the others speak as the manager itself. */
  readonly isServiceAccount: (name: string) => boolean;
  readonly namespace?: string;
}

const tokenSeconds = 3600;
const leastTokenLifeMs = 60_000;
/** Renewed when this part of its time is over. */
const renewedAfter = 0.8;

export class ServiceAccountClientBuilder implements ControllerClientBuilder {
  readonly #root: ControllerClientBuilder;
  readonly #options: ServiceAccountClientBuilderOptions;
  readonly #credentials = new Map<string, Credentials>();
  #tokenClient: Client | undefined;

  constructor(root: ControllerClientBuilder, options: ServiceAccountClientBuilderOptions) {
    this.#root = root;
    this.#options = options;
  }

  clientFor(name: string, limits?: LimitFactors): Client {
    const client = this.#root.clientFor(name, limits);
    return this.#options.isServiceAccount(name) ? client.with({ credentials: this.#credentialsOf(name) }) : client;
  }

  #credentialsOf(account: string): Credentials {
    const known = this.#credentials.get(account);
    if (known !== undefined) return known;
    const made = functionCredentials((signal) => this.#requestToken(account, signal), { clock: this.#options.clock });
    this.#credentials.set(account, made);
    return made;
  }

  async #requestToken(name: string, signal: AbortSignal): Promise<FetchedCredential> {
    const { clock, namespace = "kube-system" } = this.#options;
    this.#tokenClient ??= this.#root.clientFor("service-account-tokens");
    const accounts = this.#tokenClient.resource(serviceAccounts).in(namespace);
    await accounts
      .create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } }, signal)
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    const request: authenticationv1.TokenRequest = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: { audiences: [], expirationSeconds: tokenSeconds },
    };
    const { status } = await accounts.subresource("token").create(name, request, signal);
    const { token, expirationTimestamp } = status ?? {};
    if (token === undefined || expirationTimestamp === undefined) {
      throw new KubeloopError(`no token came for service account ${name}`, { reason: "NoToken" });
    }
    // A clock that is ahead of the server's must not make every request ask for a token.
    const lifeMs = Math.max(parseTime(expirationTimestamp) - clock.now(), leastTokenLifeMs);
    return { token, expiresAtMs: clock.now() + lifeMs * renewedAfter };
  }
}
