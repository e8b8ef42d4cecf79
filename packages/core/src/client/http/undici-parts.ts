// The two parts of undici that speak HTTP/1.1 over a socket. Its front door brings fetch, caches, mocks and proxies along:
// ninety more files and a tenth of a second, for nothing that is used here. undici restricts no paths, and our dependency
// names one release exactly: when that changes, the tests of the transport say whether the parts are still in their place.
/// <reference path="./undici-paths.d.ts" />
import { createRequire } from "node:module";
import type { Client, Dispatcher } from "undici";

export interface UndiciParts {
  readonly Client: typeof Client;
  /** What the front door makes a method of the client. */
  readonly request: (client: Client, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
}

/**
 * Loads them the first time. Required, where they are found: to import a CommonJS file Node first reads all of it for names,
 * and the compiler's work on that reading costs as much as two thousand objects of a list. Who bundles a program has them
 * inside it, and nowhere to require them from.
 */
export async function loadUndiciParts(): Promise<UndiciParts> {
  const { Client, request } = requireParts() ?? (await importParts());
  return { Client, request: (client, options) => request.call(client, options) };
}

interface Parts {
  readonly Client: typeof Client;
  readonly request: (this: Client, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
}

function requireParts(): Parts | undefined {
  const require = createRequire(import.meta.url);
  try {
    return {
      Client: require("undici/lib/dispatcher/client.js") as Parts["Client"],
      request: require("undici/lib/api/api-request.js") as Parts["request"],
    };
  } catch {
    return undefined;
  }
}

async function importParts(): Promise<Parts> {
  const { default: Client } = await import("undici/lib/dispatcher/client.js");
  const { default: request } = await import("undici/lib/api/api-request.js");
  return { Client, request };
}
