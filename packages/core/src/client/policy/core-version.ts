// The version of this package, as servers see it in the user agent; a test holds it against package.json.
export const coreVersion = "0.0.0";
