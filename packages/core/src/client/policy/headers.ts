// Adds the default headers of a client to every request that does not have its own.
import type { HttpHeaders, Transport } from "../../api/transport.ts";

/** Names are in lower case. Headers of the request itself win. */
export function withDefaultHeaders(transport: Transport, defaults: HttpHeaders): Transport {
  return (request, signal) => transport({ ...request, headers: { ...defaults, ...request.headers } }, signal);
}
