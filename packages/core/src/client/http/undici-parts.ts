// The two parts of undici that speak HTTP/1.1 over a socket. Its front door brings fetch, caches, mocks and proxies along:
// ninety more files and a tenth of a second, for nothing that is used here. undici restricts no paths, and our dependency
// names one release exactly: when that changes, the tests of the transport say whether the parts are still in their place.
/// <reference path="./undici-paths.d.ts" />
import type { Client, Dispatcher } from "undici";

export interface UndiciParts {
  readonly Client: typeof Client;
  /** What the front door makes a method of the client. */
  readonly request: (client: Client, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
}

/** Loads them the first time. */
export async function loadUndiciParts(): Promise<UndiciParts> {
  const { default: Client } = await import("undici/lib/dispatcher/client.js");
  const { default: request } = await import("undici/lib/api/api-request.js");
  return { Client, request: (client, options) => request.call(client, options) };
}
