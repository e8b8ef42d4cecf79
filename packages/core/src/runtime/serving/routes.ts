// Which function answers which path. A path is served by its own route; one that ends in a slash serves all below it, the
// longest first. Whatever has no route is not found.
import type { Transport } from "../../api/index.ts";
import { notFoundResponse } from "./responses.ts";

export type Routes = Readonly<Record<string, Transport>>;

export function routed(routes: Routes): Transport {
  const prefixes = Object.keys(routes)
    .filter((path) => path.endsWith("/"))
    .sort((a, b) => b.length - a.length);
  return async (request, signal) => {
    const path = Object.hasOwn(routes, request.path)
      ? request.path
      : prefixes.find((prefix) => request.path.startsWith(prefix));
    const route = path === undefined ? undefined : routes[path];
    return route === undefined ? notFoundResponse() : await route(request, signal);
  };
}
