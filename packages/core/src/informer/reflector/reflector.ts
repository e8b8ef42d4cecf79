// Keeps a store equal to a source: lists, watches from there on, and recovers from all failures, until its
// signal aborts. The table (reflector-step.ts) decides what to do; this file does it and reports the result to the table.
//
// Promises: only its signal ends it (and, with `detectInconsistency`, an InconsistencyError); every failure is passed to `onError`;
// each object passes the store's transform once; after `run` has ended there is no timer, listener or open request left. A source must end
// when its signal aborts. An object that turns out to be malformed when somebody reads it makes the reflector list again.
import { isNotFound, type KubernetesObject, type ProtobufError, StatusError } from "../../api/index.ts";
import {
  type ChildSignal,
  type Clock,
  childSignal,
  isAborted,
  KubeloopError,
  type Log,
  toError,
  YieldBudget,
} from "../../base/index.ts";
import type { AnswerEncoding } from "../../client/index.ts";
import type { ReflectorStatus } from "../liveness.ts";
import type { ReflectorStore } from "../store/reflector-store.ts";
import type { Transform } from "../store/store.ts";
import { detectInconsistency, InconsistencyError } from "./consistency-detector.ts";
import { classifyFailure, StoreFailure } from "./failure-class.ts";
import { handleWatchEvents, type WatchEventReceiver } from "./handle-watch-events.ts";
import { failureOf, type InputWithError, Interruption, interruptionBy, interruptionOf } from "./input-with-error.ts";
import type { ListerWatcher, ObjectKind } from "./lister-watcher.ts";
import { DroppedObjectError, findObjectFault, isTable, withKind } from "./object-check.ts";
import { ReflectorMetrics, type ReflectorSeries } from "./reflector-metrics.ts";
import { callSiteOf, holdName, releaseName, uniqueName } from "./reflector-name.ts";
import { ReflectorObserver } from "./reflector-observer.ts";
import { type ReflectorOptions, type ReflectorSettings, settingsOf } from "./reflector-options.ts";
import {
  type Command,
  type Input,
  initialState,
  type Moment,
  type Phase,
  type ReflectorState,
} from "./reflector-state.ts";
import { type ReflectorRow, type Step, step } from "./reflector-step.ts";
import { ResyncTimer } from "./resync-timer.ts";
import { StatusRecord } from "./status-record.ts";
import { StreamedList, strictly } from "./streamed-list.ts";
import { WatchGuard } from "./watch-guard.ts";
import { newWatchListMemory, type WatchListMemory } from "./watch-list-memory.ts";

export type { FailureDetails, ReflectorOptions } from "./reflector-options.ts";

type CommandOf<Kind extends Command["kind"]> = Extract<Command, { readonly kind: Kind }>;

export class Reflector<T extends KubernetesObject> {
  readonly name: string;
  readonly #source: ListerWatcher<T>;
  readonly #store: ReflectorStore<T>;
  readonly #settings: ReflectorSettings;
  readonly #expected: ObjectKind | undefined;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #record: StatusRecord;
  readonly #metrics: ReflectorMetrics;
  readonly #resync: ResyncTimer;
  readonly #receiver: WatchEventReceiver<T>;
  readonly #watchListMemory: WatchListMemory;
  readonly #observer = new ReflectorObserver();
  /** Of an object that somebody read since the last list began: the next watch is not opened, because a list is needed. */
  #malformed: ProtobufError | undefined;
  #series: (ReflectorSeries & Disposable) | undefined;
  #state: ReflectorState = initialState;
  /** It has run and its name is released; it may run again, and then takes the name again. */
  #hasReleasedName = false;
  /** The log already has the warning that the server does not serve the resource. */
  #hasToldNotServed = false;
  /** The request or wait in progress; aborting this interrupts it. */
  #current: ChildSignal | undefined;

  constructor(source: ListerWatcher<T>, store: ReflectorStore<T>, options: ReflectorOptions = {}) {
    this.#settings = settingsOf(options, source, process.env);
    this.name = uniqueName(options.name ?? callSiteOf(new Error().stack) ?? source.description);
    this.#source = source;
    this.#store = store;
    const expected = options.expectedKind ?? source.objectKind ?? source.resource;
    this.#expected = expected === "unchecked" ? undefined : expected;
    this.#clock = this.#settings.clock;
    this.#log = this.#settings.log.with({ reflector: this.name });
    this.#metrics = new ReflectorMetrics(this.#settings.metrics, { name: this.name, resource: resourceName(source) });
    this.#record = new StatusRecord(this.#clock, (error) => this.#log.error("status listener failed", { error }));
    this.#resync = new ResyncTimer({
      clock: this.#clock,
      periodMs: options.resyncMs ?? 0,
      shouldResync: options.shouldResync,
      resync: () => store.resync(),
      onError: (error) => this.#current?.abort(new Interruption("resync-failed", toError(error))),
    });
    this.#watchListMemory = source.watchListMemory ?? newWatchListMemory();
    this.#receiver = {
      sink: store,
      expected: this.#expected,
      stopsAtInitialEnd: false,
      onDropped: (error) => this.#drop(error),
      onRefused: (cause) => this.#report(new StoreFailure("store refused an event", cause), undefined),
    };
  }

  /** The last version that was seen; "" before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#state.resourceVersion;
  }

  get status(): ReflectorStatus {
    return this.#record.statusAt(this.#state);
  }

  /** Calls back when the status has changed, except for last contact and version. */
  onStatusChange(listener: (status: ReflectorStatus) => void): Disposable {
    return this.#record.subscribe(listener);
  }

  /** Ends when the signal has aborted and everything is released. May be run again, and then continues from the last version. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#open(async () => {
      let received = this.#go();
      while (!signal.aborted) received = await this.#carryOut(this.#advance(received).command, signal);
    }, signal);
  }

  /**
   * One list and the watch that follows it, as client-go's ListAndWatch: what `run` does until it would list again. Ends without an error when
   * the signal aborts, and when the watch ends in a way that requires a new list: the server reports in it that the version has expired, closes it
   * at once, or it is lost again and again. Throws if the list fails, if no watch can be opened after it, and if a resync
   * fails; `onError` gets that failure too. The caller decides when to call it again; then it continues from the last version.
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    await this.#open(async () => {
      let received = this.#go();
      while (!signal.aborted) {
        const { phase } = this.#state;
        const next = this.#advance(received);
        if (next.state.phase.at === "waiting" && next.state.phase.next === "begin") {
          if (isWatchOver(phase, received.input)) return;
          throw received.error ?? toFailure(next);
        }
        received = await this.#carryOut(next.command, signal);
      }
    }, signal);
  }

  /** Runs `work` exclusively, with the reflector's name and metrics. An abort is not a failure. */
  async #open(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.#series !== undefined) {
      throw new KubeloopError("reflector is already running", { reason: "Invalid", retry: "never" });
    }
    if (this.#hasReleasedName) holdName(this.name);
    this.#hasReleasedName = false;
    using series = this.#metrics.open(() => this.lastSyncResourceVersion);
    this.#series = series;
    using _observing = this.#observer.attach({
      onAnswer: (encoding) => this.#noteEncoding(encoding),
      onMalformed: (error) => this.#relistFor(error),
    });
    this.#state = { ...this.#state, phase: { at: "idle" }, failures: 0, healthySinceMs: undefined };
    this.#record.live("running", this.#state);
    try {
      await work();
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
    } finally {
      this.#resync.stop();
      this.#series = undefined;
      releaseName(this.name);
      this.#hasReleasedName = true;
      this.#record.live("stopped", this.#state);
    }
  }

  #go(): InputWithError {
    return { input: { type: "go", ...this.#moment() } };
  }

  async #carryOut(command: Command, signal: AbortSignal): Promise<InputWithError> {
    using child = childSignal(signal);
    this.#current = child;
    try {
      switch (command.kind) {
        case "list":
          this.#malformed = undefined;
          return await this.#list(command, child.signal);
        case "stream":
          this.#malformed = undefined;
          return await this.#follow(command, child);
        case "watch":
          if (this.#malformed !== undefined) return interruptionBy("malformed", this.#moment(), this.#malformed);
          return await this.#follow(command, child);
        case "wait":
          return await this.#wait(command, child.signal);
        default:
          throw new KubeloopError(`no watch is open for the command ${command.kind}`, {
            reason: "Unreachable",
            retry: "never",
          });
      }
    } catch (thrown) {
      if (thrown instanceof InconsistencyError) throw thrown;
      return interruptionOf(child.signal, this.#moment()) ?? failureOf(thrown, "opening", this.#moment());
    } finally {
      this.#current = undefined;
      // Release everything that the source still holds for this request.
      child.abort();
    }
  }

  /** Passes the input to the state machine, applies its synchronous effects, and returns the step with the next command. */
  #advance({ input, error }: InputWithError): Step {
    if (input.type === "go") this.#recallWatchList();
    const { phase } = this.#state;
    const next = step(this.#state, input, this.#settings.rules);
    this.#state = next.state;
    this.#rememberWatchList(phase, next);
    this.#settings.onRow?.(next.row);
    const failure = error ?? toFailure(next);
    if (failure !== undefined) this.#report(failure, next.row);
    if (next.row === "watch/short") this.#series?.shortWatches.inc();
    this.#note(next, input.type !== "events");
    return next;
  }

  /** A result of another reflector of the same client counts as if this reflector had found it. */
  #recallWatchList(): void {
    const { unansweredSinceMs } = this.#watchListMemory;
    if (unansweredSinceMs === undefined || this.#state.unstreamableSinceMs !== undefined) return;
    this.#state = { ...this.#state, unstreamableSinceMs: unansweredSinceMs };
  }

  #rememberWatchList(phase: Phase, { row, state }: Step): void {
    if (row === "stream/replaced") this.#watchListMemory.unansweredSinceMs = undefined;
    else if (row === "stream/silent" && phase.at === "streaming" && phase.events === 0) {
      this.#watchListMemory.unansweredSinceMs = state.unstreamableSinceMs;
    }
  }

  #note({ state, command }: Step, isNews: boolean): void {
    const { phase } = state;
    if (command.kind === "list") this.#begin("list");
    else if (command.kind === "stream") this.#begin("both");
    else if (command.kind === "watch") this.#begin("watch");
    if (phase.at === "watching" || (phase.at === "waiting" && phase.next === "watch")) this.#resync.start();
    else this.#resync.stop();
    this.#record.follow(state, isNews);
  }

  #begin(what: "list" | "watch" | "both"): void {
    this.#record.begin(what);
    if (what !== "watch") this.#series?.lists.inc();
    if (what !== "list") this.#series?.watches.inc();
  }

  #noteEncoding(encoding: AnswerEncoding): void {
    const { at } = this.#state.phase;
    const what = at === "listing" ? "list" : at === "streaming" ? "both" : "watch";
    this.#record.answered(what, encoding);
    this.#series?.answered(what, encoding);
  }

  /** A list that is being read, or comes next, replaces the object anyway. */
  #relistFor(error: ProtobufError): void {
    this.#series?.malformed.inc();
    this.#malformed = error;
    const { phase } = this.#state;
    if (phase.at === "watching" || (phase.at === "waiting" && phase.next === "watch")) this.#interruptIfMalformed();
  }

  #interruptIfMalformed(): void {
    if (this.#malformed !== undefined) this.#current?.abort(new Interruption("malformed", this.#malformed));
  }

  async #list({ resourceVersion, pageSize }: CommandOf<"list">, signal: AbortSignal): Promise<InputWithError> {
    const startedMs = this.#clock.monotonic();
    const objects: T[] = [];
    const onRestart = () => {
      objects.length = 0;
    };
    const answer = this.#source.list({ resourceVersion, pageSize, onRestart, observer: this.#observer }, signal);
    const transform = strictly(this.#store.transform);
    const budget = new YieldBudget(this.#clock);
    for await (const batch of answer.batches()) {
      this.#collect(batch, objects, transform);
      if (budget.isUsedUp()) await budget.yield();
    }
    signal.throwIfAborted();
    this.#replace(objects, answer.resourceVersion, startedMs);
    const { resourceVersion: reached, isPaged } = answer;
    return { input: { type: "listed", resourceVersion: reached, isPaged, ...this.#moment() } };
  }

  #collect(batch: readonly T[], objects: T[], transform: Transform<T> | undefined): void {
    for (const listed of batch) {
      const fault = findObjectFault(listed, this.#expected);
      const object = fault === undefined ? listed : withKind(listed, this.#expected);
      if (object !== undefined) objects.push(transform === undefined ? object : transform(object));
      else if (isTable(listed)) throw new DroppedObjectError(String(fault));
      else this.#drop(new DroppedObjectError(String(fault)));
    }
  }

  #replace(objects: readonly T[], resourceVersion: string, startedMs: number): void {
    this.#hasToldNotServed = false;
    try {
      const isTransformed = this.#store.transform !== undefined;
      this.#store.replace(objects, resourceVersion, isTransformed ? { isTransformed } : {});
    } catch (cause) {
      throw new StoreFailure("store refused the list", cause);
    }
    this.#record.contact();
    this.#series?.listDuration.observe((this.#clock.monotonic() - startedMs) / 1000);
    this.#series?.itemsPerList.observe(objects.length);
  }

  async #follow(command: CommandOf<"stream" | "watch">, child: ChildSignal): Promise<InputWithError> {
    const { timeoutSeconds } = command;
    const { watchListAnswerMs, watchListSilenceMs } = this.#settings;
    const sendInitialEvents = command.kind === "stream";
    const startedMs = this.#clock.monotonic();
    let initial = sendInitialEvents ? new StreamedList(strictly(this.#store.transform)) : undefined;
    let receiver = initial === undefined ? this.#receiver : initial.receiverLike(this.#receiver);
    using guard = new WatchGuard({
      clock: this.#clock,
      timeoutMs: timeoutSeconds * 1000,
      streamedList: sendInitialEvents ? { answerMs: watchListAnswerMs, progressMs: watchListSilenceMs } : undefined,
      onTrouble: (trouble) => child.abort(new Interruption(trouble)),
    });
    let items = 0;
    try {
      const watch = this.#source.watch(
        {
          resourceVersion: command.resourceVersion,
          sendInitialEvents,
          timeoutSeconds,
          observer: this.#observer,
        },
        child.signal,
      );
      for await (const batch of watch.batches()) {
        child.signal.throwIfAborted();
        guard.hear();
        this.#record.contact();
        items += batch.length;
        for (let from = 0; from < batch.length; ) {
          const taken = handleWatchEvents(batch, from, receiver);
          from = taken.upTo;
          if (taken.added > 0) guard.progress();
          const { added, others, dropped, resourceVersion } = taken;
          if (added + others + dropped > 0) {
            const nowMs = this.#clock.monotonic();
            this.#advance({ input: { type: "events", nowMs, added, others, dropped, resourceVersion } });
          }
          if (taken.error !== undefined) return failureOf(new StatusError(taken.error), "stream", this.#moment());
          if (!taken.isInitialEnd || initial === undefined) continue;
          guard.complete();
          await this.#complete(initial, resourceVersion, startedMs, child.signal);
          initial = undefined;
          receiver = this.#receiver;
          this.#interruptIfMalformed();
        }
      }
    } finally {
      this.#series?.watchDuration.observe((this.#clock.monotonic() - startedMs) / 1000);
      this.#series?.itemsPerWatch.observe(items);
    }
    return interruptionOf(child.signal, this.#moment()) ?? { input: { type: "closed", ...this.#moment() } };
  }

  /** Puts a streamed list into the store; its watch continues. */
  async #complete(
    initial: StreamedList<T>,
    resourceVersion: string,
    startedMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    this.#advance({ input: { type: "complete", resourceVersion } });
    const objects = initial.toArray();
    if (this.#settings.detectInconsistency) {
      const streamed = { objects, resourceVersion, transform: this.#store.transform };
      await detectInconsistency(this.#source, streamed, { clock: this.#clock, log: this.#log }, signal);
    }
    this.#replace(objects, resourceVersion, startedMs);
    this.#advance({ input: { type: "replaced", resourceVersion, ...this.#moment() } });
  }

  async #wait({ delayMs }: CommandOf<"wait">, signal: AbortSignal): Promise<InputWithError> {
    const clock = this.#clock.labelled({ kind: "work", name: `${this.name}: back-off` });
    await clock.sleep(delayMs, signal);
    return { input: { type: "go", ...this.#moment() } };
  }

  #moment(): Moment {
    return { nowMs: this.#clock.monotonic(), random: this.#settings.random.next() };
  }

  #drop(error: DroppedObjectError): void {
    this.#series?.dropped.inc();
    this.#report(error, undefined);
  }

  /** This is not a failure of the reflector: it is logged once, without a stack, until the resource can be listed. */
  #reportNotServed(error: Error): void {
    const fields = { resource: resourceName(this.#source), cause: error.message };
    if (this.#hasToldNotServed) this.#log.debug("the resource is still not served", fields);
    else this.#log.warn("cannot list the resource: is the CRD installed?", fields);
    this.#hasToldNotServed = true;
  }

  #report(error: Error, row: ReflectorRow | undefined): void {
    this.#record.fail(error);
    if (isNotFound(error)) this.#reportNotServed(error);
    else {
      // Both are normal: versions expire, and a server without WatchList gets a plain list instead.
      const isExpected = classifyFailure(error) === "expired" || row === "stream/unsupported";
      this.#log[isExpected ? "debug" : "warn"]("list or watch failed", { row, error });
    }
    try {
      this.#settings.onError?.(error, { name: this.name, row });
    } catch (thrown) {
      this.#log.error("error handler failed", { error: thrown });
    }
  }
}

/** Returns the resource with its group, as a CustomResourceDefinition is called: `websites.web.example.com`. */
function resourceName({ resource, description }: Pick<ListerWatcher<never>, "resource" | "description">): string {
  if (resource === undefined) return description;
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** Whether a watch was open and has ended: the server thereby asks for a new list, so the cycle has not failed. */
function isWatchOver(phase: Phase, input: Input): boolean {
  if (phase.at !== "watching") return false;
  if (input.type !== "failed") return input.type === "closed" || input.type === "overdue";
  return input.isInStream || input.failure === "lost";
}

function toFailure({ problem }: Step): KubeloopError | undefined {
  return problem === undefined ? undefined : new KubeloopError(problem.message, { reason: problem.reason });
}
