// The states of the list parser, and which byte leads from one to the next. Keys, values and items are not here: the
// decoder cuts those out whole.

/** Each state is named by what is expected next. */
export type ListState =
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

const transition = (...rows: readonly (readonly [string, ListState])[]): Readonly<Record<number, ListState>> =>
  Object.fromEntries(rows.map(([character, place]) => [character.charCodeAt(0), place]));

export const transitions: Readonly<Record<ListState, Readonly<Record<number, ListState>>>> = {
  start: transition(["{", "first key"]),
  "first key": transition(["}", "end"]),
  key: transition(),
  colon: transition([":", "value"]),
  value: transition(),
  "after value": transition([",", "key"], ["}", "end"]),
  "first item": transition(["]", "after value"]),
  item: transition(),
  "after item": transition([",", "item"], ["]", "after value"]),
  end: transition(),
};
