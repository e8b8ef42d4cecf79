// Text with tabs as aligned columns, as Go's tabwriter makes them of kubectl's descriptions: a cell ends with a tab, and the cells of
// one column in lines that follow each other are as wide as the widest of them and two spaces. What follows the last tab of a line is
// not padded, and a line without that column ends its block. Form feeds end lines too, and no columns go across them.
const padding = 2;

/** A text that does not end with a newline ends without one. */
export function alignTabs(text: string): string {
  return text.split("\f").map(alignPart).join("\n");
}

function alignPart(text: string): string {
  const lines = text.split("\n").map((line) => line.split(/[\t\v]/));
  const widths = lines.map((): number[] => []);
  const columns = Math.max(...lines.map((line) => line.length - 1));
  for (let column = 0; column < columns; column++) setWidths(lines, widths, column);
  return lines.map((line, at) => line.map((cell, column) => pad(cell, widths[at]?.[column])).join("")).join("\n");
}

/** Blocks of one column lie inside of those of the column before it, because a line has a cell only after another. */
function setWidths(lines: readonly (readonly string[])[], widths: readonly number[][], column: number): void {
  for (let at = 0; at < lines.length; ) {
    let end = at;
    let width = 0;
    for (; column < (lines[end]?.length ?? 0) - 1; end++) {
      width = Math.max(width, lengthOf(lines[end]?.[column] ?? "") + padding);
    }
    for (; at < end; at++) widths[at]?.push(width);
    at++;
  }
}

function pad(cell: string, width: number | undefined): string {
  return width === undefined ? cell : cell + " ".repeat(width - lengthOf(cell));
}

/** In characters, not in UTF-16 units. */
function lengthOf(text: string): number {
  return [...text].length;
}
