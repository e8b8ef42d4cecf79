// The live status of `kubeloop up` on a terminal: what runs is looked at when something has changed, a few times a second at most, and drawn if that changes a
// line. While nothing happens, nothing is done: no timer runs.
import type { corev1 } from "@kubeloop/core/api";
import { type Clock, untilAborted } from "@kubeloop/core/base";
import type { SharedInformerFactory } from "@kubeloop/core/informer";
import { events, nodes, pods } from "@kubeloop/core/resources";
import { LiveBlock, type Terminal } from "./live-block.ts";
import { QueueMeter } from "./queue-meter.ts";
import { type RecentEvent, type StatusSnapshot, statusLines } from "./status-lines.ts";

const drawEveryMs = 250;
/** So long a rate is shown after the last change. */
const rateMs = 1000;
const keptEvents = 10;

export class StatusBoard {
  /** To be given to the controllers. */
  readonly meter = new QueueMeter();
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #block: LiveBlock;
  readonly #recent = new Map<string, RecentEvent>();
  readonly #rates = new Map<string, { readonly added: number; readonly perSecond: number }>();
  #ratedMs: number;
  #informers: SharedInformerFactory | undefined;
  #isReady = false;
  #timer: Disposable | undefined;

  constructor(terminal: Terminal, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock.labelled({ kind: "background", name: "live status" });
    this.#block = new LiveBlock(terminal);
    this.#ratedMs = this.#clock.monotonic();
  }

  /** Lets other output go above the status. */
  around(write: () => void): void {
    this.#block.around(write);
  }

  /** From now on pods run. */
  ready(): void {
    this.#isReady = true;
    this.#change();
  }

  /** Until aborted; then the status is taken away. */
  async run(informers: SharedInformerFactory, signal: AbortSignal): Promise<void> {
    const startedMs = this.#clock.now();
    this.#informers = informers;
    const change = () => this.#change();
    const anything = { onAdd: change, onUpdate: change, onDelete: change };
    using _nodes = informers.of(nodes).informer.addEventHandler(anything);
    using _pods = informers.of(pods).informer.addEventHandler(anything);
    const tell = (event: corev1.Event) => this.#remember(event, startedMs);
    using _events = informers
      .of(events)
      .informer.addEventHandler({ onAdd: tell, onUpdate: (_before, event) => tell(event) });
    this.meter.onChange = change;
    this.#terminal.on("resize", change);
    change();
    try {
      await untilAborted(new Promise(() => {}), signal).catch(() => {});
    } finally {
      this.#terminal.off("resize", change);
      this.meter.onChange = () => {};
      this.#timer?.[Symbol.dispose]();
      this.#informers = undefined;
      this.#block.clear();
    }
  }

  /** Of a series, the newest moment counts. */
  #remember(event: corev1.Event, startedMs: number): void {
    const { type, reason = "", message = "", involvedObject: about, series } = event;
    const at = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
    const atMs = Date.parse(String(at));
    // An hour of events may be there already.
    if (!(atMs >= startedMs - 1000)) return;
    const key = event.metadata.uid ?? "";
    this.#recent.delete(key);
    const name = `${(about.kind ?? "").toLowerCase()}/${about.name ?? ""}`;
    this.#recent.set(key, { atMs, isWarning: type === "Warning", about: name, reason, message });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > keptEvents && oldest !== undefined) this.#recent.delete(oldest);
    this.#change();
  }

  /** What changes meanwhile is drawn together. */
  #change(delayMs = drawEveryMs): void {
    this.#timer ??= this.#clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.#informers === undefined) return;
    const snapshot = this.#look(this.#informers);
    this.#block.show(statusLines(snapshot, this.#terminal));
    // What is over must not be shown as if it went on.
    if (snapshot.queues.some(({ perSecond }) => perSecond > 0)) this.#change(rateMs);
  }

  #look(informers: SharedInformerFactory): StatusSnapshot {
    const all = informers.of(nodes).informer.getIndexer().list();
    const ready = all.filter(isReady).length;
    const podsByPhase = new Map<string, number>();
    for (const { status } of informers.of(pods).informer.getIndexer().list()) {
      const phase = status?.phase ?? "Pending";
      podsByPhase.set(phase, (podsByPhase.get(phase) ?? 0) + 1);
    }
    this.#rate();
    const queues = this.meter.queues.map(({ name, depth }) => ({
      name: name.replace(/-controller$/, ""),
      depth,
      perSecond: this.#rates.get(name)?.perSecond ?? 0,
    }));
    return {
      isReady: this.#isReady,
      nodes: { ready, all: all.length },
      podsByPhase,
      queues,
      events: [...this.#recent.values()],
    };
  }

  /** Once a second, from what was added since. */
  #rate(): void {
    const nowMs = this.#clock.monotonic();
    const passedMs = nowMs - this.#ratedMs;
    if (passedMs < rateMs) return;
    this.#ratedMs = nowMs;
    for (const { name, added } of this.meter.queues) {
      const before = this.#rates.get(name)?.added ?? 0;
      // A draw after a long rest says nothing of the rest.
      const seconds = Math.min(passedMs, 2 * rateMs) / 1000;
      this.#rates.set(name, { added, perSecond: Math.round((added - before) / seconds) });
    }
  }
}

const isReady = ({ status }: corev1.Node) =>
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;
