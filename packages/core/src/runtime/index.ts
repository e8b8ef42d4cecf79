// `runtime`: carries contracts out. ControllerDriver runs one controller of any shape; apply.ts is the only place where controllers'
// effects happen; read-your-writes.ts keeps a key from being looked at with a cache older than its own writes.
export { ControllerDriver, type ControllerDriverOptions, type DriverState } from "./controller-driver.ts";
export {
  type AddControllerOptions,
  type Added,
  type AddedController,
  type GroupName,
  groupNames,
  Manager,
  type ManagerElectionOptions,
  ManagerError,
  type ManagerOptions,
  type ManagerState,
  type MemberState,
  openStopSignal,
  type Placement,
  type Runnable,
  type RunnableFailure,
  type ServerPlace,
  type SignalSource,
  type StopSignal,
  type StopSignalOptions,
} from "./manager/index.ts";
export { StaleReadError } from "./own-writes-view.ts";
export { PanicError } from "./panic-error.ts";
export { Ports } from "./ports.ts";
export { type Readiness, ReadYourWrites, type ReadYourWritesOptions, type WriteGate } from "./read-your-writes.ts";
export {
  type CheckResult,
  fixedCertificate,
  type HealthCheck,
  HealthChecks,
  type HealthChecksOptions,
  HttpServer,
  type HttpServerOptions,
  healthRoutes,
  metricsHandler,
  type PrintableMetrics,
  type Routes,
  routed,
  type ServedCertificate,
  type ServingCertificate,
  ServingCertificateFiles,
  type ServingCertificateOptions,
} from "./serving/index.ts";
export type { AttributeValue, Span, SpanContext, SpanOptions, TraceContext, Tracer } from "./tracing/tracer.ts";
export type { UnsyncedSource } from "./watch-sources.ts";
