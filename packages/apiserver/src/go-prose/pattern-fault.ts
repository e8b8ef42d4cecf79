// Patterns of schemas are Go's regular expressions. What neither Go nor JavaScript could read is reported here, in Go's words where they are
// known; what only Go refuses (look-around, references back) is named as what it is.

/** Undefined for a pattern that can be used. */
export function patternFault(pattern: string): string | undefined {
  const foreign = /\(\?(?:[=!]|<[=!])|\\[1-9]/.exec(pattern);
  if (foreign !== null) {
    const what = foreign[0].startsWith("\\") ? "invalid escape sequence" : "invalid or unsupported Perl syntax";
    return `error parsing regexp: ${what}: \`${foreign[0].slice(0, foreign[0].startsWith("(?<") ? 4 : 3)}\``;
  }
  // Go's flags and names have no counterpart, and do not matter for whether the rest can be read.
  const plain = pattern.replaceAll(/\(\?[imsU-]+\)/g, "").replaceAll(/\(\?(?:P?<\w+>|[imsU-]+:)/g, "(?:");
  try {
    new RegExp(plain);
    return undefined;
  } catch {
    return `error parsing regexp: ${syntaxFault(plain)}`;
  }
}

function syntaxFault(pattern: string): string {
  const bare = pattern.replaceAll(/\\./g, "");
  const bracket = bare.search(/\[[^\]]*$/);
  if (bracket !== -1) return `missing closing ]: \`${bare.slice(bracket)}\``;
  const unclassed = bare.replaceAll(/\[[^\]]*\]/g, "");
  const open = unclassed.split("(").length;
  const close = unclassed.split(")").length;
  if (open > close) return `missing closing ): \`${pattern}\``;
  if (close > open) return `unexpected ): \`${pattern}\``;
  const repeated = /(?:^|[(|])([*+?])/.exec(unclassed);
  return repeated === null
    ? `invalid pattern: \`${pattern}\``
    : `missing argument to repetition operator: \`${repeated[1]}\``;
}
