// For tests: requests to a real cluster as somebody, and its kubectl.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type HttpRequest, sendRequest } from "./http-request.ts";
import type { Credential } from "./kubeconfig.ts";
import type { RealCluster } from "./real-cluster.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  /** The body as JSON, of the shape the test expects; throws if it is no JSON at all. */
  json<T>(): T;
}

export type ApiRequest = Pick<HttpRequest, "method" | "body"> & {
  /** Defaults to the admin's token. */
  readonly as?: Credential | "anonymous";
};

const neverAborted = new AbortController().signal;

export async function callApi(
  cluster: RealCluster,
  path: string,
  { as = { token: cluster.adminToken }, ...request }: ApiRequest = {},
  signal: AbortSignal = neverAborted,
): Promise<ApiAnswer> {
  const credential =
    as === "anonymous" ? {} : "token" in as ? { headers: { authorization: `Bearer ${as.token}` } } : as;
  const answer = await sendRequest(
    { url: `${cluster.url}${path}`, caPem: cluster.caPem, ...credential, ...request },
    signal,
  );
  return { status: answer.status, text: answer.body, json: () => JSON.parse(answer.body) };
}

/** The part of a list that most tests look at. */
export interface ListShape {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly unknown[];
}

/** What kubectl prints as the admin; throws what it complains about. */
export async function kubectl(cluster: RealCluster, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(cluster.kubectlPath, [
    `--kubeconfig=${cluster.adminKubeconfigPath}`,
    ...args,
  ]);
  return stdout;
}
