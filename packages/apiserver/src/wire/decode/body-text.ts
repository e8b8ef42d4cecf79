// The text of a body. Bytes that are no UTF-8 become U+FFFD one by one, as Go reads them (the platform's decoders make one of
// several). A byte order mark stays: to JSON it is a character like any other.
import { isAscii, isUtf8 } from "node:buffer";

export function decodeText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // One byte a character: everything that reads such a text is faster.
  if (isAscii(buffer)) return buffer.toString("latin1");
  return isUtf8(buffer) ? buffer.toString("utf8") : replaceInvalid(buffer);
}

function replaceInvalid(buffer: Buffer): string {
  const replaced = Buffer.allocUnsafe(buffer.length * 3);
  let end = 0;
  for (let at = 0; at < buffer.length; ) {
    const length = characterLength(buffer, at);
    if (length === 0) {
      replaced[end++] = 0xef;
      replaced[end++] = 0xbf;
      replaced[end++] = 0xbd;
      at++;
    } else {
      for (const last = at + length; at < last; at++) replaced[end++] = buffer[at] ?? 0;
    }
  }
  return replaced.toString("utf8", 0, end);
}

/** How many bytes the character at this place has; 0 if there is none. */
function characterLength(buffer: Buffer, at: number): number {
  const first = buffer[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  // Overlong forms, surrogates and what is beyond Unicode show in the second byte.
  const from = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const to = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = buffer[at + 1] ?? 0;
  if (second < from || second > to) return 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  for (let next = at + 2; next < at + length; next++) if (((buffer[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** A piece of the body for a message, as upstream shows it: text if it looks like JSON, else hex. */
export function summarizeBody(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const piece = bytes.subarray(0, 30);
  const shown = bytes[0] === 0x7b ? decodeText(piece) : Buffer.from(piece).toString("hex");
  return bytes.length > 30 ? `${shown} ...` : shown;
}
