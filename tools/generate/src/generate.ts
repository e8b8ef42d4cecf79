// The whole of the generator as one pure function: documents in, files out. The same documents give the same bytes.
import { decodeDiscovery } from "./discovery.ts";
import { decodeGoFields } from "./go-fields.ts";
import { decodeOpenApi } from "./openapi.ts";
import { below, type OutputFiles } from "./output.ts";
import { resourceRows } from "./resource-rows.ts";
import { writeInformers } from "./write-informers.ts";
import { decodeProtobuf, writeProtobufTable } from "./write-protobuf-table.ts";
import { writeResources } from "./write-resources.ts";
import { writeResourcesByGroup } from "./write-resources-by-group.ts";
import { writeSchemaTable } from "./write-schema-table.ts";
import { writeTypes } from "./write-types.ts";

/** Parsed JSON, not looked at yet. */
export interface GeneratorInputs {
  /** One OpenAPI v3 document, or documents by their path. */
  readonly openapi: unknown;
  /** `{ api, apis }`, both aggregated discovery. */
  readonly discovery: unknown;
  /** Message → field → [number, type]. */
  readonly protobuf: unknown;
  /** Definition → field → how Go holds, prints and calls it. */
  readonly goFields: unknown;
}

/** The paths are relative to the output folder. */
export function generate(inputs: GeneratorInputs): OutputFiles {
  const openApi = decodeOpenApi(inputs.openapi);
  const rows = resourceRows(openApi, decodeDiscovery(inputs.discovery));
  return new Map([
    ...below("types", writeTypes(openApi)),
    ["resources.ts", writeResources(rows)],
    ["resources-by-group.ts", writeResourcesByGroup(rows)],
    ["schema-table.ts", writeSchemaTable(openApi, decodeGoFields(inputs.goFields))],
    ["protobuf-table.ts", writeProtobufTable(decodeProtobuf(inputs.protobuf), openApi)],
  ]);
}

/** The informers of built-in kinds. The paths are relative to the `generated` folder of core's informer. */
export function generateInformers(inputs: Pick<GeneratorInputs, "openapi" | "discovery">): OutputFiles {
  return writeInformers(resourceRows(decodeOpenApi(inputs.openapi), decodeDiscovery(inputs.discovery)));
}
