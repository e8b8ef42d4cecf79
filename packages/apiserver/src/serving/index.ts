// `serving`: the server on a port. listen.ts is what one calls; server-socket.ts is the socket, exchange.ts one request on it,
// authenticate.ts who it is from, authority.ts certificates.
export { type AdminAccess, type Listening, type ListenOptions, listen } from "./listen.ts";
