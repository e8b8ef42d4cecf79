// Faults of fields in the words of upstream's library of field errors.
export const invalid = (path: string, value: unknown, detail: string): string =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`;

export const required = (path: string, detail = ""): string =>
  `${path}: Required value${detail === "" ? "" : `: ${detail}`}`;

export const duplicate = (path: string, value: unknown): string => `${path}: Duplicate value: ${JSON.stringify(value)}`;

export const forbidden = (path: string, detail: string): string => `${path}: Forbidden: ${detail}`;

export const notSupported = (path: string, value: string, supported: readonly string[]): string =>
  `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(", ")}`;

/** The path of a field below another one, which may be empty. */
export const child = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
