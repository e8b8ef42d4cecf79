// Random choices of scenarios and runs.
import { type Random, randomBelow } from "../../base/index.ts";

export function chance(random: Random, probability: number): boolean {
  return random.next() < probability;
}

export function pick<const T>(random: Random, choices: readonly T[]): T {
  return choices[randomBelow(random, choices.length)] as T;
}
