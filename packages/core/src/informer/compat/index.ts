// `compat`: for programs that come from the official JavaScript client. make-informer.ts says what is the same and what is not.
//
// Not here: its REST calls; `client` has its own.
export type { ConnectCallback, ErrorCallback, ObjectCallback, ObjectVerb } from "./callbacks.ts";
export { type CompatInformer, type CompatOptions, makeInformer } from "./make-informer.ts";
