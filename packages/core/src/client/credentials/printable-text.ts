// Makes text from a file or a program safe to print: escape sequences could control the terminal.

// The Unicode category "other": control, format, surrogate and unassigned characters. Tabs and newlines stay.
const unprintable = /(?![\t\n\v\f\r])\p{C}/gu;

/** Returns the text with unprintable characters written as "U+001B". */
export function printableText(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}
