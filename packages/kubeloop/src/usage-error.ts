// What a person did wrong, in one sentence: the command says it and exits with 1. Anything else that is thrown is a bug of ours.
export class UsageError extends Error {}
