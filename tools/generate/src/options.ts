// The command line of the generator. Every fault is one sentence.
import { parseArgs } from "node:util";
import { GenerateError } from "./generate-error.ts";

export interface GenerateOptions {
  readonly openapi: string | undefined;
  readonly discovery: string | undefined;
  readonly server: string | undefined;
  readonly tokenFile: string | undefined;
  readonly ca: string | undefined;
  readonly out: string | undefined;
  readonly check: boolean;
  readonly help: boolean;
}

export const usage = `usage: npm run generate -- [options]

Writes the types, the resource registry, the schema table and the protobuf table of @kubeloop/core/api. Without
options: from the documents of Kubernetes 1.36 kept in this repository, into packages/core/src/api/generated, with
the informers of its kinds in packages/core/src/informer/generated, and the Go structs of a pod template in
packages/controllers/src/domain/generated.

  --openapi FILE      OpenAPI v3: one document, or an object of documents by path (.json or .json.br)
  --discovery FILE    aggregated discovery: an object with the answers of /api and /apis (.json or .json.br)
  --server URL        take both from a running server instead
  --token-file FILE   with --server: a file with a bearer token
  --ca FILE           with --server: the certificate authority to trust, in PEM
  --out DIR           write there
  --check             write nothing; name the files that differ and exit with 1
  --help              print this
`;

const flags = {
  openapi: { type: "string" },
  discovery: { type: "string" },
  server: { type: "string" },
  "token-file": { type: "string" },
  ca: { type: "string" },
  out: { type: "string" },
  check: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

export function parseOptions(argv: readonly string[]): GenerateOptions {
  const values = parseFlags(argv);
  const options: GenerateOptions = {
    openapi: values.openapi,
    discovery: values.discovery,
    server: values.server,
    tokenFile: values["token-file"],
    ca: values.ca,
    out: values.out,
    check: values.check,
    help: values.help,
  };
  if (options.server !== undefined && (options.openapi !== undefined || options.discovery !== undefined)) {
    throw new GenerateError("--server cannot be combined with --openapi or --discovery");
  }
  if (options.server === undefined && (options.tokenFile !== undefined || options.ca !== undefined)) {
    throw new GenerateError("--token-file and --ca need --server");
  }
  if ((options.openapi === undefined) !== (options.discovery === undefined)) {
    throw new GenerateError("--openapi and --discovery must be given together");
  }
  if (options.server !== undefined && !/^https?:\/\//.test(options.server)) {
    throw new GenerateError(`--server must be an http or https URL, got ${options.server}`);
  }
  return options;
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new GenerateError((said.split(/\.\s|\n/)[0] ?? said).replace(/^./, (letter) => letter.toLowerCase()));
  }
}
