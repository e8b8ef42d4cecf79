// What the live status of `kubeloop up` shows: a function from what is known to lines of text. Pure. Promises that no line is wider than the terminal and that
// there are fewer lines than it has, whatever the objects are called.
import { stripVTControlCharacters } from "node:util";

export interface QueueReading {
  /** Of the controller. */
  readonly name: string;
  /** Keys that wait. */
  readonly depth: number;
  /** Keys added in the last second or so. */
  readonly perSecond: number;
}

export interface RecentEvent {
  /** Wall time. */
  readonly atMs: number;
  readonly isWarning: boolean;
  /** pod/web-1 */
  readonly about: string;
  readonly reason: string;
  readonly message: string;
}

export interface StatusSnapshot {
  readonly isReady: boolean;
  readonly nodes: { readonly ready: number; readonly all: number };
  readonly podsByPhase: ReadonlyMap<string, number>;
  readonly queues: readonly QueueReading[];
  /** Oldest first. */
  readonly events: readonly RecentEvent[];
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const phases = ["Pending", "Running", "Succeeded", "Failed", "Unknown"];
const mostEvents = 5;
const mostQueues = 4;

export function statusLines(snapshot: StatusSnapshot, { columns, rows }: TerminalSize): readonly string[] {
  const { events } = snapshot;
  const first = [summary(snapshot), queuesLine(snapshot)];
  // A line is left for the cursor, and one for what was printed last.
  const room = Math.max(0, rows - 2);
  const shown = Math.min(events.length, mostEvents, Math.max(0, room - first.length));
  const lines = [...first, ...(shown > 0 ? events.slice(-shown).map(eventLine) : [])];
  return lines.slice(0, room).map((line) => fit(line, columns));
}

function summary({ isReady, nodes, podsByPhase }: StatusSnapshot): string {
  const others = [...podsByPhase.keys()].filter((phase) => !phases.includes(phase)).sort();
  const counts = [...phases, ...others].flatMap((phase) => {
    const count = podsByPhase.get(phase) ?? 0;
    return count > 0 ? [`${count} ${plain(phase)}`] : [];
  });
  const parts = [`nodes ${nodes.ready}/${nodes.all} ready`, `pods ${counts.join(", ") || "none"}`];
  return `${isReady ? "" : "starting: "}${parts.join(" · ")}`;
}

/** The busiest first; those that do nothing are not named. */
function queuesLine({ queues }: StatusSnapshot): string {
  const busy = queues
    .filter(({ depth, perSecond }) => depth > 0 || perSecond > 0)
    .sort((a, b) => b.depth - a.depth || b.perSecond - a.perSecond || (a.name < b.name ? -1 : 1));
  if (busy.length === 0) return queues.length === 0 ? "controllers none" : "controllers idle";
  const named = busy.slice(0, mostQueues).map(({ name, depth, perSecond }) => `${name} ${depth} (${perSecond}/s)`);
  const more = busy.length > mostQueues ? [`${busy.length - mostQueues} more`] : [];
  return `controllers ${[...named, ...more].join(", ")}`;
}

function eventLine({ atMs, isWarning, about, reason, message }: RecentEvent): string {
  const time = new Date(atMs).toISOString().slice(11, 19);
  return `${time} ${isWarning ? "! " : "  "}${plain(`${about} ${reason}: ${message}`)}`;
}

/** What an object says, without anything that would move the cursor. A server takes any text as a pod's phase, too. */
const plain = (text: string) => stripVTControlCharacters(text).replaceAll(/[\p{Cc}\s]+/gu, " ");

/** One line of at most so many columns; who cannot see the end sees that there is one. Characters of others than Latin scripts may be two columns wide. */
function fit(text: string, columns: number): string {
  let width = 0;
  let kept = "";
  for (const character of text) {
    const next = width + widthOf(character);
    if (next > columns - 1 && kept.length + character.length < text.length) return columns > 0 ? `${kept}…` : "";
    if (next > columns) return columns > 0 ? `${kept}…` : "";
    width = next;
    kept += character;
  }
  return kept;
}

/** Two where it may be two: a line that is too short does no harm. */
const widthOf = (character: string) => ((character.codePointAt(0) ?? 0) < 0x1100 || character === "…" ? 1 : 2);
