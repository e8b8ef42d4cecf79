// JSON as TypeScript sees it, and the one check the generator's decoders need.
import { GenerateError } from "./generate-error.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The decoder's cast: past this point the value is a JSON object. */
export function asObject(value: unknown, what: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new GenerateError(`${what} must be an object`);
  }
  return value as JsonObject;
}
