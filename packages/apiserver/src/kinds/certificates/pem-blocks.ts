// The blocks of a PEM text, as Go finds them. Reads the text once, whatever it holds.

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

const begin = "-----BEGIN ";
const end = "-----END ";
const dashes = "-----";

export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let at = 0;
  for (;;) {
    const start = lineThatBegins(text, begin, at);
    if (start === -1) return blocks;
    const { line, next } = lineAt(text, start);
    const close = lineThatBegins(text, end, next);
    // Without an end there is no block, here or later.
    if (close === -1) return blocks;
    const closing = lineAt(text, close);
    const type = line.slice(begin.length, -dashes.length);
    if (line.endsWith(dashes) && closing.line === `${end}${type}${dashes}`) {
      blocks.push(toBlock(type, text.slice(next, close)));
    }
    at = closing.next;
  }
}

function toBlock(type: string, body: string): PemBlock {
  const lines = body.split("\n");
  const isHeader = (line: string) => line.includes(":");
  const base64 = lines.filter((line) => !isHeader(line)).join("");
  return { type, hasHeaders: lines.some(isHeader), der: Buffer.from(base64, "base64") };
}

function lineThatBegins(text: string, prefix: string, from: number): number {
  if (text.startsWith(prefix, from)) return from;
  const at = text.indexOf(`\n${prefix}`, from);
  return at === -1 ? -1 : at + 1;
}

function lineAt(text: string, start: number): { readonly line: string; readonly next: number } {
  const newline = text.indexOf("\n", start);
  const stop = newline === -1 ? text.length : newline;
  return { line: text.slice(start, stop).trimEnd(), next: Math.min(stop + 1, text.length) };
}
