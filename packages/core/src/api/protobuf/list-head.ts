// A list without its items. In a file of its own, because it is public: the declarations of this layer stand without Node's types, which the
// codec's have.
import type { Kind } from "./message-names.ts";

export interface ListHead extends Kind {
  readonly metadata: object;
}
