// Text from a CRD as a comment for editors to show. It cannot end the comment it stands in.

/** Ended by a line break; empty when there is nothing to say. */
export function docComment(text: string | undefined, indent: string): string {
  const lines = (text ?? "")
    .trim()
    .replaceAll("*/", "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trimEnd());
  const [first = ""] = lines;
  if (lines.length === 1) return first === "" ? "" : `${indent}/** ${first} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}
