// The text of a description while it is written: lines at levels of two spaces, whose cells are aligned at the end, and the shapes that
// many kinds share: labels, annotations, lists below a title. Characters that a terminal would obey are made visible.
import { alignTabs } from "./align-tabs.ts";

/** Annotations that only kubectl itself reads. */
const hiddenAnnotations = ["kubectl.kubernetes.io/last-applied-configuration"];
const longestLine = 140;

export type Texts = { readonly [key: string]: string };
type Cell = string | number | boolean | undefined;

export class Description {
  /** What was aligned before the last flush. */
  #aligned = "";
  #text = "";

  /** One line; cells that are absent are empty. */
  line(level: number, ...cells: readonly Cell[]): void {
    this.write(`${"  ".repeat(level)}${cells.map((cell) => cell ?? "").join("\t")}\n`);
  }

  write(text: string): void {
    this.#text += text.replaceAll("\u001b", "^[").replaceAll("\r", "\\r");
  }

  /** What follows is not aligned with what was before. */
  flush(): void {
    this.#aligned += alignTabs(this.#text);
    this.#text = "";
  }

  toString(): string {
    return this.#aligned + alignTabs(this.#text);
  }
}

/** Items below each other beside a title. The margin comes before each part of a line, as kubectl writes it in nested descriptions. */
export function writeList(to: Description, title: string, items: readonly string[], margin = ""): void {
  const [first = "<none>", ...others] = items;
  to.write(`${margin}${title}:\t${margin}${first}\n`);
  for (const item of others) to.write(`${margin}${margin}\t${margin}${item}\n`);
}

export function writeLabels(to: Description, title: string, labels: Texts | undefined, margin = ""): void {
  writeList(to, title, pairsOf(labels), margin);
}

/** `key=value`, in the order of the keys. */
export function pairsOf(texts: Texts | undefined): readonly string[] {
  return sortedKeys(texts).map((key) => `${key}=${texts?.[key] ?? ""}`);
}

/** Labels in one line. */
export function printLabels(labels: Texts | undefined): string {
  return pairsOf(labels).join(",") || "<none>";
}

/** Long values, and those of several lines, are below their keys and cut off. */
export function writeAnnotations(to: Description, title: string, annotations: Texts | undefined, margin = ""): void {
  const keys = sortedKeys(annotations).filter((key) => !hiddenAnnotations.includes(key));
  to.write(`${margin}${title}:\t`);
  if (keys.length === 0) to.write(`${margin}<none>\n`);
  for (const [at, key] of keys.entries()) {
    const value = (annotations?.[key] ?? "").replace(/\n$/, "");
    if (at > 0) to.write(`${margin}\t`);
    if (bytesOf(value) + bytesOf(key) + 2 <= longestLine && !value.includes("\n")) {
      to.write(`${margin}${key}: ${value}\n`);
      continue;
    }
    to.write(`${margin}${key}:\n`);
    for (const line of value.split("\n")) to.write(`${margin}\t  ${shorten(line, longestLine - 2)}\n`);
  }
}

/** Attributes of a volume: labels whose long values are cut off. */
export function writeAttributes(to: Description, title: string, attributes: Texts | undefined): void {
  const margin = "    ";
  const pairs = pairsOf(attributes).map((pair) => shorten(pair, longestLine));
  if (pairs.length === 0) to.write(`${margin}${title}:\t<none>\n`);
  else writeList(to, title, pairs, margin);
}

export function sortedKeys(of: object | undefined): readonly string[] {
  return Object.keys(of ?? {}).toSorted();
}

/** Bytes are counted and cut, not characters. */
function shorten(text: string, longest: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= longest ? text : `${bytes.subarray(0, longest).toString()}...`;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
