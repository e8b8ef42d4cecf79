// What a server answers to a selector on an unknown field, for kinds that keep a list of their own.
export const unsupportedField = (name: string): string => `field label not supported: ${name}`;
