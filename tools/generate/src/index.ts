// The generator behind `npm run generate`: pure functions from OpenAPI, discovery, protobuf numbers and the facts of
// Go's types to the text of the checked-in sources below `packages/core/src/api/generated`. Start reading at `generate.ts`.
export { type GeneratorInputs, generate } from "./generate.ts";
export { GenerateError } from "./generate-error.ts";
export { readInputs } from "./inputs.ts";
export { type GenerateOptions, parseOptions } from "./options.ts";
export type { OutputFiles } from "./output.ts";
export { differingFiles, writeOutput } from "./write-output.ts";
