// `serving`: the server on a port. listen.ts is what one calls; server-socket.ts is the socket, exchange.ts one request on it,
// authenticate.ts who it is from, authority.ts certificates.
export { type CertificateAuthority, type CertificatePair, type ClientIdentity, createAuthority } from "./authority.ts";
export { type AdminAccess, type Listening, type ListenOptions, listen } from "./listen.ts";
