// Flags as pflag has them: types, the reading of a command line, and the help text. Knows no Kubernetes but quantities.
export {
  type AnyFlag,
  bool,
  duration,
  type Flag,
  type FlagStruct,
  flag,
  float32,
  float64,
  int,
  int32,
  type SettingsOf,
  string,
  strings,
} from "./flag.ts";
export { FlagError, type FlagGroup, type ParsedFlags, parseFlags } from "./flag-set.ts";
export {
  featureGatesType,
  int32SliceType,
  ipType,
  levelType,
  type ModuleLevel,
  moduleLevelsType,
  type NamedCertKey,
  namedCertKeysType,
  quantityType,
  stringToStringType,
  versionType,
} from "./flag-type.ts";
export { printGoDuration } from "./go-duration.ts";
export { inertMark, printUsage } from "./usage.ts";
