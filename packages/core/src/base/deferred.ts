// A promise whose resolve and reject functions are outside it. Settling it a second time does nothing.

export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason: unknown) => void;
}

export function deferred<T = void>(): Deferred<T> {
  let handles: Pick<Deferred<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    handles = { resolve, reject };
  });
  return { promise, ...(handles as Pick<Deferred<T>, "resolve" | "reject">) };
}
