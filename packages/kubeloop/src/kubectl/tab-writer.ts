// Lines of cells as aligned columns, as kubectl's tables are: each column as wide as its widest cell and three spaces, at least six; the
// last cell of a line is not padded. Widths only grow until `forget`, so that what a watch adds stays aligned.
const minimum = 6;
const padding = 3;

export class TabWriter {
  #widths: number[] = [];

  /** The lines with their newlines. */
  print(lines: readonly (readonly string[])[]): string {
    for (const line of lines) {
      for (const [column, cell] of line.slice(0, -1).entries()) {
        const width = Math.max(minimum, lengthOf(cell) + padding);
        this.#widths[column] = Math.max(this.#widths[column] ?? 0, width);
      }
    }
    return lines
      .map((line) => `${line.map((cell, column) => this.#padded(cell, column, line.length)).join("")}\n`)
      .join("");
  }

  forget(): void {
    this.#widths = [];
  }

  #padded(cell: string, column: number, count: number): string {
    if (column === count - 1) return cell;
    return cell + " ".repeat((this.#widths[column] ?? 0) - lengthOf(cell));
  }
}

/** In characters, not in UTF-16 units. */
function lengthOf(text: string): number {
  return [...text].length;
}
