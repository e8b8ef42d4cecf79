// The interface of a server in simulations: its transport, direct reads and writes, and the disturbances that it supports. One implementation is
// the fake server (fake-server.fixture.ts); another is the embedded API server, in its own package.
import type { KubernetesObject, Resource, Transport } from "../../api/index.ts";
import type { FakeClock, Random } from "../../base/index.ts";
import type { BodyStyle, ServerBehaviour, WatchEnd } from "../fake-server/index.ts";

/** One write that the server has carried out. */
export interface WrittenObject {
  readonly resource: Resource;
  readonly revision: number;
  readonly before: KubernetesObject | undefined;
  /** Undefined for a deletion. */
  readonly after: KubernetesObject | undefined;
}

export interface SimulatedServerOptions {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly resources: readonly Resource[];
  /** The namespaces of all objects that will be written. */
  readonly namespaces: readonly string[];
  readonly body?: BodyStyle;
  /** The behaviour at the start, as far as the server can be configured. */
  readonly behaviour?: Partial<ServerBehaviour>;
  /** Called for each write immediately after it, before any watch can send it. */
  readonly onWritten?: (written: WrittenObject) => void;
}

export interface SimulatedServer extends AsyncDisposable {
  readonly transport: Transport;
  /** The revision of the last write. */
  readonly revision: number;
  /** The number of watches that their readers have not closed. */
  readonly openWatches: number;
  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined;
  list<T extends KubernetesObject>(resource: Resource<T>): readonly T[];
  create<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<T>;
  update<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<T>;
  delete(resource: Resource, key: string): Promise<void>;
  /** Deletes the history up to a revision, the last one unless given. */
  compact(revision?: number): Promise<void>;
  endWatches(how: WatchEnd): void;
  /** Watches receive no more events until `catchUp`. */
  fallBehind(): void;
  catchUp(): void;
  /** Undefined if the behaviour of the server cannot be changed. */
  behave?(behaviour: Partial<ServerBehaviour>): void;
  /** Simulates a switch to another API server that is behind by so many writes. Undefined if there is only one. */
  moveToServerBehind?(writes: number): void;
  /** Restarts the server: it keeps its objects, loses its history, and all watches end. */
  restart?(): Promise<void>;
}

export type OpenServer = (options: SimulatedServerOptions) => Promise<SimulatedServer>;
