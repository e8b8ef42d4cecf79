// Selects the handler for a path. A path is served by the route with exactly this path, or else by the longest route that ends in a slash and
// is a prefix of it. A path without a route is answered with 404.
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
