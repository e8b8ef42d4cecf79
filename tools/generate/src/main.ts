// The command `npm run generate`: options, inputs, the pure generator, files. Exits with 1 on a fault or, with
// --check, on a difference.
import { fileURLToPath } from "node:url";
import { generate, generateInformers } from "./generate.ts";
import { GenerateError } from "./generate-error.ts";
import { generateServer, plain, unpacked } from "./generate-server.ts";
import { readGoStructs, readInputs, readServerInputs } from "./inputs.ts";
import { parseOptions, usage } from "./options.ts";
import { generateGoStructs } from "./write-go-structs.ts";
import { differingFiles, writeOutput } from "./write-output.ts";

const checkedIn = fileURLToPath(new URL("../../../packages/core/src/api/generated", import.meta.url));
const informersCheckedIn = fileURLToPath(new URL("../../../packages/core/src/informer/generated", import.meta.url));
const serverCheckedIn = fileURLToPath(new URL("../../../packages/apiserver/src/generated", import.meta.url));
const structsCheckedIn = fileURLToPath(new URL("../../../packages/controllers/src/domain/generated", import.meta.url));

async function main(argv: readonly string[]): Promise<number> {
  const options = parseOptions(argv);
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const inputs = await readInputs(options);
  const files = generate(inputs);
  const folder = options.out ?? checkedIn;
  // Informers belong to core and the embedded server is of one version: whoever generates for another cluster wants the API only.
  const informers = options.out === undefined ? generateInformers(inputs) : undefined;
  const server = options.out === undefined ? await readServerInputs() : undefined;
  const structs = options.out === undefined ? generateGoStructs(await readGoStructs()) : new Map<string, string>();
  if (options.check) {
    const differing = [...(await differingFiles(folder, files))];
    if (informers !== undefined) differing.push(...(await differingFiles(informersCheckedIn, informers)));
    if (server !== undefined) {
      differing.push(...(await differingFiles(serverCheckedIn, generateServer(server, plain), unpacked)));
    }
    if (structs.size > 0) differing.push(...(await differingFiles(structsCheckedIn, structs)));
    for (const path of differing) process.stderr.write(`differs: ${path}\n`);
    return differing.length === 0 ? 0 : 1;
  }
  const written = [...(await writeOutput(folder, files))];
  if (informers !== undefined) written.push(...(await writeOutput(informersCheckedIn, informers)));
  const serverFiles = server === undefined ? new Map<string, string>() : generateServer(server);
  if (server !== undefined) written.push(...(await writeOutput(serverCheckedIn, serverFiles)));
  if (structs.size > 0) written.push(...(await writeOutput(structsCheckedIn, structs)));
  process.stdout.write(
    `${files.size + (informers?.size ?? 0) + serverFiles.size + structs.size} files generated, ${written.length} changed\n`,
  );
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof GenerateError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
