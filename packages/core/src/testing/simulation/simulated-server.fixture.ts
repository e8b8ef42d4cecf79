// What a simulation needs of a server, whichever it is: its transport, writes beside it, a look at what it holds, and the troubles it can be
// brought into. The fake server is one (fake-server.fixture.ts); the embedded API server is another, in its own package.
import type { KubernetesObject, Resource, Transport } from "../../api/index.ts";
import type { FakeClock, Random } from "../../base/index.ts";
import type { BodyStyle, ServerBehaviour, WatchEnd } from "../fake-server/index.ts";

/** One write that happened. */
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
  /** Those that objects will be written to. */
  readonly namespaces: readonly string[];
  readonly body?: BodyStyle;
  /** How it should be at first, as far as it has a choice. */
  readonly behaviour?: Partial<ServerBehaviour>;
  /** Told of each write the moment it is done, before any watcher can be. */
  readonly onWritten?: (written: WrittenObject) => void;
}

export interface SimulatedServer extends AsyncDisposable {
  readonly transport: Transport;
  /** Of the last write. */
  readonly revision: number;
  /** Watches whose readers have not left. */
  readonly openWatches: number;
  get<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined;
  list<T extends KubernetesObject>(resource: Resource<T>): readonly T[];
  create<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<T>;
  update<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<T>;
  delete(resource: Resource, key: string): Promise<void>;
  /** Forgets what happened up to a revision, the last one unless given. */
  compact(revision?: number): Promise<void>;
  endWatches(how: WatchEnd): void;
  /** What happens is no longer told to those who watch, until `catchUp`. */
  fallBehind(): void;
  catchUp(): void;
  /** Absent where it is as it is. */
  behave?(behaviour: Partial<ServerBehaviour>): void;
  /** Another server answers from now on, which is behind by so many writes. Absent where there is but one. */
  moveToServerBehind?(writes: number): void;
  /** All that it holds stays; history is gone, and watches end. */
  restart?(): Promise<void>;
}

export type OpenServer = (options: SimulatedServerOptions) => Promise<SimulatedServer>;
