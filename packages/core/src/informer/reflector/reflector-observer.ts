// What a source tells its reflector about answers: their encoding, and that an object of theirs turned out to be malformed. Objects of the cache hold
// this observer as long as anybody holds them, so it forgets the reflector when that has ended.
import type { ProtobufError } from "../../api/index.ts";
import type { AnswerEncoding, AnswerObserver } from "../../client/index.ts";

export class ReflectorObserver implements AnswerObserver {
  #reflector: AnswerObserver | undefined;

  /** From now on, until the result is disposed of, this reflector is told. */
  attach(reflector: AnswerObserver): Disposable {
    this.#reflector = reflector;
    return {
      [Symbol.dispose]: () => {
        this.#reflector = undefined;
      },
    };
  }

  onAnswer(encoding: AnswerEncoding): void {
    this.#reflector?.onAnswer(encoding);
  }

  onMalformed(error: ProtobufError): void {
    this.#reflector?.onMalformed(error);
  }
}
