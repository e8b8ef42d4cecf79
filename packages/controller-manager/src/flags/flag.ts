// A flag: its name, its type, what it is unless given, and what it does in words. A struct of options is a record of flags; what the command
// line made of them is a record of the same keys.
import {
  boolType,
  durationType,
  type FlagType,
  float32Type,
  float64Type,
  int32Type,
  intType,
  stringsType,
  stringType,
} from "./flag-type.ts";

export interface FlagExtras {
  /** One letter: `-v`. */
  readonly short?: string;
  /** Taken, but neither in `--help` nor recommended: the sentence says what to do instead. */
  readonly deprecated?: string;
  /** Taken, and without effect here yet: `--help` marks it, and a start that sets it warns. */
  readonly isInert?: boolean;
  /** The field of the configuration it sets, where that is not its key with a capital. `null`: none. */
  readonly configz?: string | null;
}

export interface Flag<T> extends FlagExtras {
  readonly name: string;
  readonly type: FlagType<T>;
  readonly fallback: T;
  readonly usage: string;
}

/** Of any type; each is used only with its own type's functions. */
export type AnyFlag = Flag<unknown>;
export type FlagStruct = Readonly<Record<string, AnyFlag>>;
export type SettingsOf<S extends FlagStruct> = {
  readonly [K in keyof S]: S[K] extends Flag<infer T> ? T : never;
};

export const flag = <T>(
  type: FlagType<T>,
  name: string,
  fallback: T,
  usage: string,
  extras: FlagExtras = {},
): Flag<T> => ({ name, type, fallback, usage, ...extras });

export const bool = (name: string, fallback: boolean, usage: string, extras?: FlagExtras) =>
  flag(boolType, name, fallback, usage, extras);
export const string = (name: string, fallback: string, usage: string, extras?: FlagExtras) =>
  flag(stringType, name, fallback, usage, extras);
export const strings = (name: string, fallback: readonly string[], usage: string, extras?: FlagExtras) =>
  flag(stringsType, name, fallback, usage, extras);
export const int = (name: string, fallback: number, usage: string, extras?: FlagExtras) =>
  flag(intType, name, fallback, usage, extras);
export const int32 = (name: string, fallback: number, usage: string, extras?: FlagExtras) =>
  flag(int32Type, name, fallback, usage, extras);
export const float32 = (name: string, fallback: number, usage: string, extras?: FlagExtras) =>
  flag(float32Type, name, fallback, usage, extras);
export const float64 = (name: string, fallback: number, usage: string, extras?: FlagExtras) =>
  flag(float64Type, name, fallback, usage, extras);
/** The default is written as Go writes it, and kept in milliseconds. */
export const duration = (name: string, fallback: string, usage: string, extras?: FlagExtras) =>
  flag(durationType, name, durationType.parse(fallback, undefined), usage, extras);
