// Foreign services a controller needs: metrics, a certificate signer, a cloud. The controller's folder declares the port; the
// composition root gives its implementation; `decide` only ever names it.
//
//   export const signer = definePort<SigningRequest, Certificate>("certificate-signer");

declare const requestType: unique symbol;
declare const answerType: unique symbol;

/** Without its types, any port. */
export interface Port<Request = never, Answer = unknown> {
  readonly name: string;
  /** Only for the compiler: never set. */
  readonly [requestType]?: (request: Request) => void;
  /** Only for the compiler: never set. */
  readonly [answerType]?: Answer;
}

export function definePort<Request, Answer>(name: string): Port<Request, Answer> {
  return { name };
}
