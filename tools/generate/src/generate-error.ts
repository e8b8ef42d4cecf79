// A fault in what the generator was given (options, files, a server's answer). Its message is all the user sees.
export class GenerateError extends Error {
  override readonly name = "GenerateError";
}
