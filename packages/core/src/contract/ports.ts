// Ports: services outside the API server that a controller needs, such as metrics, a certificate signer or a cloud. The folder of the
// controller declares the port, and the composition root provides its implementation. `decide` only refers to the port.
//
//   export const signer = definePort<SigningRequest, Certificate>("certificate-signer");

declare const requestType: unique symbol;
declare const answerType: unique symbol;

/** `Port` without type arguments stands for any port. */
export interface Port<Request = never, Answer = unknown> {
  readonly name: string;
  /** Never set: it only tells the compiler the type of the request. */
  readonly [requestType]?: (request: Request) => void;
  /** Never set: it only tells the compiler the type of the answer. */
  readonly [answerType]?: Answer;
}

export function definePort<Request, Answer>(name: string): Port<Request, Answer> {
  return { name };
}
