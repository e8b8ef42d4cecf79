// The version of this package, for the user agent; a test compares it with package.json.
export const coreVersion = "0.0.0";
