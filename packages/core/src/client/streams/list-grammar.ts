// The places in the text of a list, and which byte leads from one to the next. Keys, values and items are not here: the
// decoder cuts those out whole.

/** Named by what is due there. */
export type ListPlace =
  | "start"
  | "first key"
  | "key"
  | "colon"
  | "value"
  | "after value"
  | "first item"
  | "item"
  | "after item"
  | "end";

const move = (...rows: readonly (readonly [string, ListPlace])[]): Readonly<Record<number, ListPlace>> =>
  Object.fromEntries(rows.map(([character, place]) => [character.charCodeAt(0), place]));

export const moves: Readonly<Record<ListPlace, Readonly<Record<number, ListPlace>>>> = {
  start: move(["{", "first key"]),
  "first key": move(["}", "end"]),
  key: move(),
  colon: move([":", "value"]),
  value: move(),
  "after value": move([",", "key"], ["}", "end"]),
  "first item": move(["]", "after value"]),
  item: move(),
  "after item": move([",", "item"], ["]", "after value"]),
  end: move(),
};
