// Values in Go's own syntax, as its verb %#v prints them where upstream puts them into messages: with their types and quoted.
import { quote } from "@kubeloop/core/api";

export const nilSyntax = "interface {}(nil)";

/** `[]string{"a", "b"}` of items that are printed already. */
export const sliceSyntax = (type: string, items: readonly string[]) => `[]${type}{${items.join(", ")}}`;

/** `map[string]string{"a":"b"}` of values that are printed already, in the order of the entries. */
export function mapSyntax(type: string, entries: Iterable<readonly [key: string, printed: string]>): string {
  return `${type}{${[...entries].map(([key, printed]) => `${quote(key)}:${printed}`).join(", ")}}`;
}

export interface PrintedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** A user with what is absent as nil. */
export function userSyntax({ name, uid, groups, extra }: PrintedUser): string {
  const texts = (items: readonly string[]) => sliceSyntax("string", items.map(quote));
  const printedGroups = groups.length === 0 ? "[]string(nil)" : texts(groups);
  const sorted = [...extra].sort(([one], [other]) => (one < other ? -1 : 1));
  const entries = sorted.map(([key, values]) => [key, texts(values)] as const);
  const printedExtra = extra.size === 0 ? "map[string][]string(nil)" : mapSyntax("map[string][]string", entries);
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${printedGroups}, Extra:${printedExtra}}`;
}
