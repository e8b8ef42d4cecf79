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
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  // No text has more characters than units.
  if (total <= mostCharacters) return texts;
  const characters = texts.map((text) => [...text]);
  if (characters.reduce((sum, each) => sum + each.length, 0) <= mostCharacters) return texts;
  const kept: string[] = [];
  let written = 0;
  for (const each of characters) {
    if (written >= mostCharacters) break;
    const cut = each.slice(0, mostOfOne);
    written += cut.length;
    kept.push(cut.join(""));
  }
  return kept;
}

const isPrintable = (text: string) => !/[\p{Cc}\p{Cs}]/u.test(text);

const quoteWarning = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
