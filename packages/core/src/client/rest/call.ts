// How every method of the client takes its last arguments: options if there are any to give, then the signal.
//
//   pods.get("web", signal)
//   pods.get("web", { resourceVersion: "0" }, signal)

export type CallArguments<Options> = [signal: AbortSignal] | [options: Options, signal: AbortSignal];

export function callArguments<Options extends object>(given: CallArguments<Options>): [Partial<Options>, AbortSignal] {
  return given.length === 1 ? [{}, given[0]] : given;
}
