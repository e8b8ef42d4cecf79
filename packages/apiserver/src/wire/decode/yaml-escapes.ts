// Escape sequences in double quotes that the library reads otherwise than upstream does.
import { CST, Lexer, type YAMLParseError } from "yaml";

const markers: readonly string[] = [CST.BOM, CST.DOCUMENT, CST.FLOW_END, CST.SCALAR];

/** The same text with `\x27` for each `\'` in double quotes: upstream knows both, the library only the first. Lines stay as they are. */
export function spellQuoteEscapes(text: string): string {
  if (!text.includes("\\'")) return text;
  let spelled = "";
  let before = "";
  for (const lexeme of new Lexer().lex(text)) {
    // What comes after this marker is a scalar without quotes, whatever it begins with.
    const isQuoted = lexeme.startsWith('"') && before !== CST.SCALAR;
    if (isQuoted) spelled += lexeme.replace(/\\[\s\S]/g, (sequence) => (sequence === "\\'" ? "\\x27" : sequence));
    else if (!markers.includes(lexeme)) spelled += lexeme;
    before = lexeme;
  }
  return spelled;
}

/** In upstream's words, what is wrong with an escape sequence; undefined for other errors. */
export function escapeFault({ code, message }: Pick<YAMLParseError, "code" | "message">): string | undefined {
  if (code !== "BAD_DQ_ESCAPE") return undefined;
  return /\\[xuU]/.test(message) ? "did not find expected hexdecimal number" : "found unknown escape character";
}
