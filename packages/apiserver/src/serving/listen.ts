// Puts a server on a port: with an authority, a certificate for the server, and a token and a certificate for its administrator. Authority and
// token are new unless they are given.
import { randomBytes } from "node:crypto";
import { type ApiRequest, type FaultOptions, type FaultRule, type InjectedFault, withFaults } from "@kubeloop/core/api";
import { KubeloopError, type Random } from "@kubeloop/core/base";
import type { RequestOrigin } from "../authentication/authenticator.ts";
import { userOf } from "../authentication/users.ts";
import type { RequestUser } from "../kinds/kind-rules.ts";
import { type CertificateAuthority, createAuthority } from "./certificate-authority.ts";
import { isLoopback } from "./loopback.ts";
import { ServerSocket, type ServerSocketOptions } from "./server-socket.ts";

export interface ListenOptions {
  /** 127.0.0.1 unless given. Loopback only, until there is authorization. */
  readonly host?: string;
  /** Any that is free unless given. */
  readonly port?: number;
  /** TLS unless told otherwise; plain HTTP takes everybody for the administrator. */
  readonly isPlain?: boolean;
  /** Signs the certificates of the server and of its administrator, and vouches for clients. A new one unless given. */
  readonly authority?: CertificateAuthority;
  /** The administrator's token. A new one unless given. */
  readonly token?: string;
  /** The address in the endpoints of the Service `kubernetes`: that of the machine's first network interface unless given. */
  readonly advertiseAddress?: string;
  /** What goes wrong on purpose for who connects here: for tests of programs in other processes. */
  readonly faults?: readonly FaultRule[];
  /**
   * Called with each request that comes here; the answer waits for what it returns. The signal aborts when nobody waits for the answer any more.
   * For tests that look at, or hold back, what a program in another process asks.
   */
  readonly onRequest?: (request: ApiRequest, signal: AbortSignal) => Promise<void> | void;
}

/** What an administrator connects with. */
export interface AdminAccess {
  readonly token: string;
  /** Undefined for plain HTTP. */
  readonly caPem: string | undefined;
  readonly certPem: string | undefined;
  readonly keyPem: string | undefined;
}

export interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly admin: AdminAccess;
  /** Whom these credentials speak for. */
  readonly adminUser: RequestUser;
  /** Undefined for plain HTTP. */
  readonly authority: CertificateAuthority | undefined;
  /** What was done by the fault rules so far, oldest first. */
  readonly injected: readonly InjectedFault[];
}

const adminUser: RequestUser = userOf({ name: "kubernetes-admin", groups: ["system:masters"] });

const newToken = () => randomBytes(24).toString("base64url");

type Answer = ServerSocketOptions["answer"];

export async function listen(
  options: ListenOptions & Pick<ServerSocketOptions, "clock" | "log" | "answer"> & { readonly random: Random },
): Promise<Listening> {
  const { host = "127.0.0.1", port = 0, isPlain = false, clock, log } = options;
  if (!isLoopback(host)) {
    const why = `cannot listen on ${host}: without authorization this server is for this machine only (127.0.0.1, ::1, localhost)`;
    throw new KubeloopError(why, { reason: "Invalid", retry: "never" });
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    const why = `cannot listen on port ${port}: a port is a whole number from 0 to 65535`;
    throw new KubeloopError(why, { reason: "Invalid", retry: "never" });
  }
  const { token = newToken() } = options;
  if (token === "") throw new KubeloopError("the token must not be empty", { reason: "Invalid", retry: "never" });
  const { answer, injected } = withRules(announced(options.answer, options.onRequest), options.faults ?? [], options);
  if (isPlain) {
    const socket = await ServerSocket.listen({ host, port, everybody: adminUser, clock, log, answer });
    const admin = { token, caPem: undefined, certPem: undefined, keyPem: undefined };
    return listeningOn(socket, { admin, authority: undefined, injected });
  }
  const { authority = await createAuthority("kubeloop") } = options;
  const names = [
    ...new Set([host, "127.0.0.1", "::1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]),
  ];
  const [own, admin] = await Promise.all([
    authority.issueServer({ commonName: "kube-apiserver", names }),
    authority.issueClient({ user: adminUser.name, groups: ["system:masters"] }),
  ]);
  const caPem = authority.pair.certPem;
  const tls = { ...own, clientCaPem: caPem };
  const socket = await ServerSocket.listen({ host, port, tls, clock, log, answer });
  return listeningOn(socket, { admin: { token, caPem, ...admin }, authority, injected });
}

function announced(answer: Answer, onRequest: ListenOptions["onRequest"]): Answer {
  if (onRequest === undefined) return answer;
  return async (request, origin, signal) => {
    await onRequest(request, signal);
    return await answer(request, origin, signal);
  };
}

/** Faults are put around a transport, which knows no users: where a request comes from is kept beside it. */
function withRules(
  answer: Answer,
  rules: readonly FaultRule[],
  options: FaultOptions,
): { readonly answer: Answer; readonly injected: readonly InjectedFault[] } {
  if (rules.length === 0) return { answer, injected: [] };
  const origins = new WeakMap<ApiRequest, RequestOrigin>();
  const transport = withFaults(
    (request, signal) => answer(request, origins.get(request) as RequestOrigin, signal),
    rules,
    options,
  );
  return {
    answer(request, origin, signal) {
      origins.set(request, origin);
      return transport(request, signal);
    },
    injected: transport.injected,
  };
}

function listeningOn(socket: ServerSocket, parts: Pick<Listening, "admin" | "authority" | "injected">): Listening {
  return {
    url: socket.url,
    port: socket.port,
    adminUser,
    ...parts,
    [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose](),
  };
}
