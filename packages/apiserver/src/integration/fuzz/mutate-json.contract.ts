// A JSON value with something wrong about it: a part of it is replaced, lost, doubled, renamed, or put where another stood. The value it
// is made from stays as it is.
import type { Draw } from "./draw.contract.ts";
import { nastyKeys, nastyScalar, nastyValue, withKey } from "./nasty-values.contract.ts";

/** Somewhere inside: every part is as likely as another. */
export function mutateJson(draw: Draw, value: unknown): unknown {
  const parts = countParts(value);
  return changePart(draw, value, { left: draw.below(parts), donor: value });
}

/** What is deeper is one part: it has been made worse enough. */
const deepest = 300;

function countParts(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > deepest) return 1;
  return Object.values(value).reduce<number>((sum, held) => sum + countParts(held, depth + 1), 1);
}

interface Place {
  /** How many parts to pass over. */
  left: number;
  readonly donor: unknown;
}

function changePart(draw: Draw, value: unknown, place: Place, depth = 0): unknown {
  if (place.left-- === 0) return changed(draw, value, place.donor);
  if (typeof value !== "object" || value === null || depth > deepest) return value;
  const go = (held: unknown) => (place.left < 0 ? held : changePart(draw, held, place, depth + 1));
  if (Array.isArray(value)) return value.map(go);
  const copy = {};
  for (const [key, held] of Object.entries(value)) {
    withKey(copy, key, go(held));
  }
  return copy;
}

function changed(draw: Draw, value: unknown, donor: unknown): unknown {
  if (Array.isArray(value) && !draw.oneIn(3)) return changedList(draw, value);
  if (typeof value === "object" && value !== null && !draw.oneIn(3)) return changedObject(draw, value);
  if (typeof value === "string" && draw.oneIn(3)) return changedText(draw, value);
  if (typeof value === "number" && draw.oneIn(3)) return value * draw.from([-1, 2, 1000, 1e9, 0.3]);
  if (draw.oneIn(4)) return partOf(draw, donor);
  return nastyValue(draw);
}

function changedList(draw: Draw, list: readonly unknown[]): unknown[] {
  const at = draw.below(list.length + 1);
  switch (draw.below(5)) {
    case 0:
      return list.toSpliced(at, 0, nastyValue(draw));
    case 1:
      return list.toSpliced(at, 1);
    case 2:
      return [...list, ...list];
    case 3:
      return list.toReversed();
    default:
      return Array.from({ length: draw.oneIn(20) ? 1_200 : draw.below(70) }, () => list[at % Math.max(1, list.length)]);
  }
}

function changedObject(draw: Draw, object: object): object {
  const entries = Object.entries(object);
  const at = draw.below(entries.length);
  const [key = "a", held] = entries[at] ?? [];
  const build = (list: readonly (readonly [string, unknown])[]) => {
    const built = {};
    for (const [name, value] of list) withKey(built, name, value);
    return built;
  };
  switch (draw.below(6)) {
    case 0:
      return build(entries.toSpliced(at, 1));
    case 1:
      return build([...entries, [draw.from(nastyKeys), nastyValue(draw)]]);
    case 2:
      return build(entries.map(([name, value]) => [name === key ? draw.from(nastyKeys) : name, value]));
    case 3:
      return build([...entries, [key.toUpperCase(), held]]);
    case 4:
      return build([...entries, [`${key}x`, held]]);
    default:
      return build(entries.map(([name, value]) => [name, name === key ? nastyValue(draw) : value]));
  }
}

function changedText(draw: Draw, text: string): unknown {
  const at = draw.below(text.length + 1);
  switch (draw.below(5)) {
    case 0:
      return text.slice(0, at) + String(nastyScalar(draw)) + text.slice(at);
    case 1:
      return text.slice(0, at);
    case 2:
      return text.toUpperCase();
    case 3:
      return text.repeat(1 + draw.below(40));
    default:
      return Number(text);
  }
}

function partOf(draw: Draw, value: unknown): unknown {
  let part = value;
  for (let depth = draw.below(6); depth > 0; depth--) {
    if (typeof part !== "object" || part === null) break;
    const held = Object.values(part);
    if (held.length === 0) break;
    part = draw.from(held);
  }
  return part;
}
