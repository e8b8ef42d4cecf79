// The server's Tables as `kubectl get` prints them: headers once and only above rows, wide columns when asked for, and the columns that
// the client adds: namespace, labels, and the kind in front of the name.
import type { Table, TableColumnDefinition, TableRow } from "@kubeloop/core/api";

export interface TableStyle {
  readonly isWide: boolean;
  readonly hasHeaders: boolean;
  readonly withNamespace: boolean;
  readonly showLabels: boolean;
  /** Labels that have columns of their own. */
  readonly labelColumns: readonly string[];
  /** `deployment.apps`, to be put before names. */
  readonly kind: string | undefined;
}

/** What a row of a table of a watch or of a list is made of. */
export type SentTable = Pick<Table, "columnDefinitions" | "rows">;

/** Prints the tables of one type, one after the other. */
export class TablePrinter {
  readonly #style: TableStyle;
  #columns: readonly TableColumnDefinition[] = [];
  #areHeadersPrinted = false;

  constructor(style: TableStyle) {
    this.#style = style;
  }

  /** Lines of cells. */
  print(table: SentTable): readonly (readonly string[])[] {
    const columns = this.#columnsOf(table);
    const rows = table.rows ?? [];
    if (rows.length === 0) return [];
    const shown = [...columns.keys()].filter((at) => this.#style.isWide || (columns[at]?.priority ?? 0) === 0);
    const lines = rows.map((row) => this.#cellsOf(row, columns, shown));
    if (this.#areHeadersPrinted || !this.#style.hasHeaders) return lines;
    this.#areHeadersPrinted = true;
    return [this.#headersOf(columns, shown), ...lines];
  }

  /** Tables of a watch have columns only if they are new. */
  #columnsOf({ columnDefinitions }: SentTable): readonly TableColumnDefinition[] {
    if ((columnDefinitions ?? []).length === 0) return this.#columns;
    if (JSON.stringify(columnDefinitions) !== JSON.stringify(this.#columns)) {
      this.#columns = columnDefinitions;
      this.#areHeadersPrinted = false;
    }
    return this.#columns;
  }

  #headersOf(columns: readonly TableColumnDefinition[], shown: readonly number[]): readonly string[] {
    const { withNamespace, labelColumns, showLabels } = this.#style;
    return [
      ...(withNamespace ? ["NAMESPACE"] : []),
      ...shown.map((at) => (columns[at]?.name ?? "").toUpperCase()),
      ...labelColumns.map((label) => (label.split("/").at(-1) ?? "").toUpperCase()),
      ...(showLabels ? ["LABELS"] : []),
    ];
  }

  #cellsOf(row: TableRow, columns: readonly TableColumnDefinition[], shown: readonly number[]): readonly string[] {
    const { withNamespace, labelColumns, showLabels, kind } = this.#style;
    const nameAt = columns.findIndex(({ type, format }) => type === "string" && format === "name");
    const { namespace = "", labels = {} } = row.object?.metadata ?? {};
    const cells = shown
      .filter((at) => at < row.cells.length)
      .map((at) =>
        at === nameAt && kind !== undefined ? `${kind}/${printCell(row.cells[at])}` : printCell(row.cells[at]),
      );
    return [
      ...(withNamespace ? [namespace] : []),
      ...cells,
      ...labelColumns.map((label) => labels[label] ?? ""),
      ...(showLabels ? [printLabels(labels)] : []),
    ];
  }
}

/** One line of text without control sequences of terminals. */
function printCell(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  const text = String(cell);
  const end = text.search(/[\f\n\r]/);
  const line = end < 0 ? text : `${text.slice(0, end)}...`;
  return line.replaceAll("\u001b", "^[");
}

function printLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.toSorted().join(",");
}
