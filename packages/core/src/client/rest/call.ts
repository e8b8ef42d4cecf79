// The last arguments of every method of the client: optional options, then the signal.
//
//   pods.get("web", signal)
//   pods.get("web", { resourceVersion: "0" }, signal)

export type CallArguments<Options> = [signal: AbortSignal] | [options: Options, signal: AbortSignal];

export function callArguments<Options extends object>(given: CallArguments<Options>): [Partial<Options>, AbortSignal] {
  return given.length === 1 ? [{}, given[0]] : given;
}
