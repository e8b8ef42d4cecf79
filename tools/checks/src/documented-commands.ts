// Every command that the documents show, and who runs it. A document that names another one fails the check until
// somebody does.

/** Command → who runs it. */
export const documentedCommands: Readonly<Record<string, string>> = {};
