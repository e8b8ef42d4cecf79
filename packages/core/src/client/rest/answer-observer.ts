// Who is told how lists and watches arrive: caches, which show it to operators and fetch again what cannot be read.
import type { DecodeObserver } from "../../api/index.ts";
import type { Encoding } from "./accept.ts";

/** In which form objects arrived: in protobuf, in JSON, or as values of a server in the same process. */
export type AnswerEncoding = Encoding | "values";

export interface AnswerObserver extends DecodeObserver {
  /** An answer has begun to arrive: a page of a list, or a watch. Must not throw. */
  onAnswer(encoding: AnswerEncoding): void;
}
