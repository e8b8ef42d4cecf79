// What who asks for a field hears, of kinds that keep a list of their own.
export const unsupportedField = (name: string): string => `field label not supported: ${name}`;
