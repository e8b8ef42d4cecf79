// `serving`: the probes and metrics of a process, and the small HTTP server for them. A handler is a function from request to response, like
// a Transport: tests call it directly, http-server.ts serves it on a socket.
//
// Every client that reaches the port may read probes and metrics; `delegation` is for handlers that ask the cluster who calls and whether they may.
export {
  type AccessDecision,
  AccessReviews,
  type AccessReviewsOptions,
  type AskedAccess,
  type AuthenticatedUser,
  Authentication,
  type AuthenticationObserver,
  type AuthenticationOptions,
  type ClientAuthorities,
  type FollowAuthoritiesOptions,
  followPublishedAuthorities,
  type RequestHeaderAuthorities,
  type ReviewCacheObserver,
  type ReviewObserver,
  readAuthorities,
  readPublishedAuthorities,
  readPublishedAuthoritiesNow,
} from "./delegation/index.ts";
export { type CheckResult, type HealthCheck, HealthChecks, type HealthChecksOptions } from "./health-checks.ts";
export { healthRoutes } from "./health-handler.ts";
export { type HttpHandler, HttpServer, type HttpServerOptions, type Peer, type TlsSettings } from "./http-server.ts";
export { metricsHandler, type PrintableMetrics } from "./metrics-handler.ts";
export { jsonResponse, notFoundResponse, statusResponse, textResponse } from "./responses.ts";
export { type Routes, routed } from "./routes.ts";
export {
  fixedCertificate,
  type ServedCertificate,
  type ServingCertificate,
  ServingCertificateFiles,
  type ServingCertificateOptions,
} from "./serving-certificate.ts";
