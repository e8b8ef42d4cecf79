// `@kubeloop/apiserver`: the embedded API server. docs/adr/0008 has its plan; api-server.ts is where to begin.
// It may see core's `base`, `api` and `rules` only: it meets the client on the wire, never in code.
export { ApiServer, type ApiServerOptions } from "./api-server.ts";
export { anonymousUser, systemAdmin, type UserDescription } from "./authentication/users.ts";
export type { AuthorizationMode } from "./authorization/authorizer.ts";
export type { RequestUser } from "./kinds/kind-rules.ts";
export type { NodeConnector } from "./resources/registry/node-connector.ts";
export type {
  AdminAccess,
  Listening,
  ListenOptions,
} from "./serving/index.ts";
export {
  type EventLog,
  ExpiredRevision,
  FutureRevision,
  MemoryStorage,
  type MemoryStorageOptions,
  type Range,
  type RangeResult,
  type RevertChoice,
  type RevertedObject,
  type SnapshotStorage,
  type Storage,
  type StorageEvent,
  type StorageKey,
  type StorageSnapshot,
  type Write,
  type WriteResult,
} from "./storage/index.ts";
export { kubernetesVersion, type VersionInfo } from "./version.ts";
