// A quick look at a JSON text, for what JSON.parse will not tell: how many keys it has, and whether the spelling of anything
// counts. If a value parsed from the text holds as many keys as the text has, none came twice.
//
// It hops from colon to colon. Where it cannot tell (a string that begins with a colon) it counts too many keys, never too few.

export interface JsonScan {
  /** At least as many as there are. */
  readonly keyCount: number;
  /** A number under a key is no plain integer of up to 15 digits, or text holds half a surrogate pair. */
  readonly isSpellingNeeded: boolean;
}

export function scanJson(text: string): JsonScan {
  let keyCount = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    const quote = skipSpaceBack(text, at - 1);
    if (text.charCodeAt(quote) !== 0x22 || isEscaped(text, quote)) continue;
    keyCount++;
    const value = skipSpace(text, at + 1);
    const first = text.charCodeAt(value);
    if (first <= 0x39 && first >= 0x2d && !isPlainInteger(text, value)) return { keyCount, isSpellingNeeded: true };
  }
  return { keyCount, isSpellingNeeded: hasSurrogateEscape(text) };
}

function skipSpaceBack(text: string, from: number): number {
  let at = from;
  while (at > 0 && isSpace(text.charCodeAt(at))) at--;
  return at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Whether a quote inside JSON ends nothing: an odd number of backslashes stands before it. */
export function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

function isPlainInteger(text: string, start: number): boolean {
  let at = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  const firstDigit = at;
  let code = text.charCodeAt(at);
  while (code >= 0x30 && code <= 0x39) code = text.charCodeAt(++at);
  const isNegativeZero = firstDigit > start && text.charCodeAt(firstDigit) === 0x30;
  return code !== 0x2e && (code | 0x20) !== 0x65 && at - firstDigit <= 15 && !isNegativeZero;
}

function hasSurrogateEscape(text: string): boolean {
  return text.includes("\\u") && /\\u[dD][89a-fA-F]/.test(text);
}
