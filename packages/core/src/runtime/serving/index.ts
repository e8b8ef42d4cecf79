// `serving`: what a process serves about itself, and the small server it does so with. A handler is a function from request to
// response, the same as a Transport: tests call it, http-server.ts puts it on a socket.
//
// Not here: who may ask. Probes and metrics are for everybody who reaches the port.
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
