// How much room text takes on a terminal: columns by character, as `wcwidth` counts them, and the rows that a line is wrapped into. Terminals disagree about
// some new emoji and about joined ones; these are counted one by one, as most do.

/** East Asian characters that are two columns wide, without emoji: Unicode's classes Wide and Fullwidth. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;
/** Drawn as pictures unless told otherwise; two letters of a flag are one column each. */
const picture = /\p{Emoji_Presentation}/u;
const flagLetter = /\p{Regional_Indicator}/u;
/** Drawn over what is before: accents, joiners, variants. */
const overprinted = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

/** Of one character. */
export function columnsOf(character: string): 0 | 1 | 2 {
  if ((character.codePointAt(0) ?? 0) < 0x300) return 1;
  if (overprinted.test(character)) return 0;
  return wide.test(character) || (picture.test(character) && !flagLetter.test(character)) ? 2 : 1;
}

/** A character of two columns that does not fit at the end of a row is at the beginning of the next. Text without control sequences. */
export function rowsOf(text: string, columns: number): number {
  let rows = 1;
  let column = 0;
  for (const character of text) {
    const width = columnsOf(character);
    if (column + width > columns && column > 0) {
      rows++;
      column = 0;
    }
    column += width;
  }
  return rows;
}
