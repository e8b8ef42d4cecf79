// Warnings as headers. What no header can carry (control characters, halves of characters) is left out; when all of them are long, each
// is cut, and beyond the limit the rest is dropped: a client that sends a thousand unknown fields must still be able to read the answer.
import type { HttpHeaders } from "@kubeloop/core/api";

const mostCharacters = 4 * 1024;
const mostOfOne = 256;

export function warningHeaders(warnings: readonly string[]): HttpHeaders {
  const sound = warnings.filter((text) => text !== "" && isPrintable(text));
  if (sound.length === 0) return {};
  return { warning: fitting(sound).map((text) => `299 - ${quoteWarning(text)}`) };
}

/** Each once, in order. */
function fitting(texts: readonly string[]): readonly string[] {
  if (isWithin(texts, mostCharacters)) return texts;
  const kept: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= mostCharacters) break;
    // Of a text that may be huge only so much is looked at as holds that many characters.
    const cut = [...text.slice(0, 2 * mostOfOne)].slice(0, mostOfOne);
    written += cut.length;
    kept.push(cut.join(""));
  }
  return kept;
}

function isWithin(texts: readonly string[], characters: number): boolean {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // A character is one unit or two.
  if (units <= characters) return true;
  return units <= 2 * characters && texts.reduce((sum, text) => sum + [...text].length, 0) <= characters;
}

const isPrintable = (text: string) => !/[\p{Cc}\p{Cs}]/u.test(text);

const quoteWarning = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
