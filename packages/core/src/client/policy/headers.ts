// The headers a client adds to every request that does not bring its own.
import type { HttpHeaders, Transport } from "../../api/transport.ts";

/** Names in small letters. What the request says itself stands. */
export function withDefaultHeaders(transport: Transport, defaults: HttpHeaders): Transport {
  return (request, signal) => transport({ ...request, headers: { ...defaults, ...request.headers } }, signal);
}
