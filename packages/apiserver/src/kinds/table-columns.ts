// The columns in which a real server shows each resource as a table. A resource without a printer of its own shows names and dates.
import type { Resource, TableColumnDefinition } from "@kubeloop/core/api";
import { tableColumns } from "../generated/table-columns.ts";

interface ColumnTable {
  readonly columns: readonly TableColumnDefinition[];
  readonly resources: Readonly<Record<string, readonly number[]>>;
}

let table: ColumnTable | undefined;

export function columnsOf({ apiVersion, plural }: Resource): readonly TableColumnDefinition[] {
  table ??= JSON.parse(tableColumns) as ColumnTable;
  const { columns, resources } = table;
  return (resources[`${apiVersion}/${plural}`] ?? []).flatMap((number) => columns[number] ?? []);
}
