// The two modules of undici that implement HTTP/1.1 over a socket. Its main module also loads fetch, caches, mocks and proxies:
// ninety more files and a tenth of a second, for nothing that is used here. undici does not restrict deep imports, and our
// dependency is pinned to one exact release: after an update, the tests of the transport show whether the modules still exist.
/// <reference path="./undici-paths.d.ts" />
import { createRequire } from "node:module";
import type { Client, Dispatcher } from "undici";

export interface UndiciParts {
  readonly Client: typeof Client;
  /** The function that the main module makes a method of the client. */
  readonly request: (client: Client, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
}

/**
 * Loads them on first use. With `require` where possible, because to import a CommonJS file Node first scans all of it for export
 * names, and compiling that scanner costs as much as two thousand objects of a list. A bundled program contains the modules and
 * cannot require them from anywhere, so there they are imported.
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
