// `compat`: for programs written for the official JavaScript client. make-informer.ts lists what is the same and what differs.
//
// Not here: its REST calls; `client` has its own.
export type { ConnectCallback, ErrorCallback, ObjectCallback, ObjectVerb } from "./callbacks.ts";
export { type CompatInformer, type CompatOptions, makeInformer } from "./make-informer.ts";
