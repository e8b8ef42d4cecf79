// Names a server or controller makes up: the random suffix of `generateName`, and hashes spelled in the same letters (no
// vowels, nothing that looks like another letter).
import { type Random, randomBelow } from "../base/random.ts";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
/** A generated name is a valid label; its prefix is cut to leave room for the suffix. */
const maxNameLength = 63;
export const maxGeneratedNameLength = maxNameLength - suffixLength;

/** `length` letters of the names' alphabet. */
export function randomSuffix(random: Random, length: number = suffixLength): string {
  let suffix = "";
  for (let i = 0; i < length; i++) suffix += alphabet[randomBelow(random, alphabet.length)];
  return suffix;
}

/** A name for an object with `generateName: prefix`. Not known to be free. */
export function generateName(prefix: string, random: Random): string {
  return prefix.slice(0, maxGeneratedNameLength) + randomSuffix(random);
}

/** The same text in the names' alphabet; for hashes that become part of a name or a label. */
export function safeEncode(text: string): string {
  let encoded = "";
  for (const character of text) encoded += alphabet[(character.codePointAt(0) ?? 0) % alphabet.length];
  return encoded;
}
