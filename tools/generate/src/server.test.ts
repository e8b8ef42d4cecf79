import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readServer } from "./server.ts";

const answers: Record<string, unknown> = {
  "/openapi/v3": { paths: { "api/v1": { serverRelativeURL: "/openapi/v3/api/v1?hash=1" } } },
  "/openapi/v3/api/v1?hash=1": { openapi: "3.0.0" },
  "/api": { kind: "APIGroupDiscoveryList", items: [] },
  "/apis": { kind: "APIGroupDiscoveryList", items: [{}] },
};

let server: Server;
let url = "";
const asked: string[] = [];
beforeEach(async () => {
  asked.length = 0;
  server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.accept}`);
    const answer = answers[request.url ?? ""];
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const noAccess = { tokenFile: undefined, ca: undefined };

test("takes the index, each document, and aggregated discovery", async () => {
  expect(await readServer(url, noAccess)).toEqual({
    openapi: { "api/v1": { openapi: "3.0.0" } },
    discovery: { api: answers["/api"], apis: answers["/apis"] },
  });
  const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  expect(asked.slice(-2)).toEqual([`/api ${aggregated}`, `/apis ${aggregated}`]);
});

test("an answer other than 200 is one clear sentence", async () => {
  await expect(readServer(`${url}/`, { ...noAccess, tokenFile: "/none" })).rejects.toThrow(/^cannot read \/none: /);
  answers["/openapi/v3"] = { paths: { gone: {} } };
  await expect(readServer(url, noAccess)).rejects.toThrow(
    /^cannot get http.*\/openapi\/v3\/gone: the server answered 404$/,
  );
});
