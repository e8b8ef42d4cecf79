// Text from a file or a program that is going to be shown to a person: no escape sequences that could drive a terminal.

// Everything Unicode calls "other": controls, formats, surrogates, unassigned. Tabs and line ends stay.
const unprintable = /(?![\t\n\v\f\r])\p{C}/gu;

/** The same text, with what a terminal might obey written out ("U+001B"). */
export function printableText(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}
