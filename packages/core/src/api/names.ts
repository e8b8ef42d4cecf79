// Generated names: the random suffix of `generateName`, and hashes encoded in the same alphabet (no
// vowels, no characters that look alike).
import { type Random, randomBelow } from "../base/random.ts";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
/** A generated name is a valid label; its prefix is cut to leave room for the suffix. */
const maxNameLength = 63;
export const maxGeneratedNameLength = maxNameLength - suffixLength;

/** Returns `length` random characters of the alphabet. */
export function randomSuffix(random: Random, length: number = suffixLength): string {
  let suffix = "";
  for (let i = 0; i < length; i++) suffix += alphabet[randomBelow(random, alphabet.length)];
  return suffix;
}

/** Returns a name for an object with `generateName: prefix`. The name may be taken. */
export function generateName(prefix: string, random: Random): string {
  return prefix.slice(0, maxGeneratedNameLength) + randomSuffix(random);
}

/** Encodes the text in the alphabet; for hashes that become part of a name or a label. */
export function safeEncode(text: string): string {
  let encoded = "";
  for (const character of text) encoded += alphabet[(character.codePointAt(0) ?? 0) % alphabet.length];
  return encoded;
}
