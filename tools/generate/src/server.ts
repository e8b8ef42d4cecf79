// Takes OpenAPI and discovery from a running API server: the index at /openapi/v3, each document it names, and
// aggregated discovery at /api and /apis. One request at a time: the answers are large and the server may be small.
import { readFile } from "node:fs/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { GenerateError } from "./generate-error.ts";
import { asObject, type Json } from "./json.ts";

export interface ServerAccess {
  readonly tokenFile: string | undefined;
  readonly ca: string | undefined;
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export async function readServer(server: string, access: ServerAccess): Promise<{ openapi: Json; discovery: Json }> {
  const token = access.tokenFile === undefined ? undefined : (await readText(access.tokenFile)).trim();
  const ca = access.ca === undefined ? undefined : await readText(access.ca);
  const get = (path: string, accept: string): Promise<Json> => getJson(new URL(path, server), { accept, token, ca });
  const index = asObject(asObject(await get("/openapi/v3", "application/json"), "the OpenAPI index")["paths"], "paths");
  const openapi: Record<string, Json> = {};
  for (const [path, entry] of Object.entries(index)) {
    const address = asObject(entry, path)["serverRelativeURL"];
    openapi[path] = await get(typeof address === "string" ? address : `/openapi/v3/${path}`, "application/json");
  }
  return { openapi, discovery: { api: await get("/api", aggregated), apis: await get("/apis", aggregated) } };
}

interface GetOptions {
  readonly accept: string;
  readonly token: string | undefined;
  readonly ca: string | undefined;
}

function getJson(url: URL, options: GetOptions): Promise<Json> {
  const headers = {
    accept: options.accept,
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
  };
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new GenerateError(`cannot get ${url.href}: ${why}`));
    const sent = request(url, { headers, ...(options.ca === undefined ? {} : { ca: options.ca }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", (error) => fail(error.message));
      response.on("end", () => {
        if (response.statusCode !== 200) return fail(`the server answered ${response.statusCode ?? "nothing"}`);
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Json);
        } catch {
          fail("the answer is not JSON");
        }
      });
    });
    sent.on("error", (error) => fail(error.message));
    sent.end();
  });
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new GenerateError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
