// Quotes text as Kubernetes' messages do (Go's %q): printable characters stay, others are escaped.

const plain = /^[ !#-[\]-~]*$/;
/** Characters that are escaped, or may have to be. */
const odd = /[^ !#-[\]-~\p{L}\p{M}\p{N}\p{P}\p{S}]|["\\]/gu;
const shortEscapes = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

export function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${text.replace(odd, (character) => shortEscapes.get(character) ?? escapeUnprintable(character))}"`;
}

function escapeUnprintable(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code >= 0xd800 && code < 0xe000) return "\\ufffd";
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
