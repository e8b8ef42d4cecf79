// Reads an Accept header: what a client would take, best first. The order is kube-apiserver's: by quality, then by how exact the
// clause is, then as written. Parameters ("as", "g", "v", "stream", "pretty") belong to the clause.

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Clauses nobody can read are left out, as upstream does. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses = header.split(",").flatMap((part) => parseClause(part));
  return clauses.sort((a, b) => b.quality - a.quality || exactness(b) - exactness(a));
}

function parseClause(text: string): readonly AcceptClause[] {
  const [mediaType = "", ...rest] = text.split(";");
  const [type = "", subtype = "", ...more] = mediaType.trim().split("/");
  const isWildcard = type === "*" && subtype === "" && more.length === 0;
  if ((type === "" || subtype === "" || more.length > 0) && !isWildcard) return [];
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const each of rest) {
    const [name = "", value = "", ...others] = each.split("=");
    if (value === "" || others.length > 0) continue;
    // What is no number counts as the worst there is, yet it is not refused: as upstream.
    if (name.trim() === "q") quality = Number(value) || 0;
    else parameters.set(name.trim(), value.trim());
  }
  return [{ type, subtype: isWildcard ? "*" : subtype, quality, parameters }];
}

function exactness({ type, subtype }: AcceptClause): number {
  if (type === "*") return 0;
  return subtype === "*" ? 1 : 2;
}
