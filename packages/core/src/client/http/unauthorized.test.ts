import { beforeAll, describe, expect, test } from "vitest";
import type { Credentials } from "../credentials/credentials.ts";
import { HttpTransport } from "./http-transport.ts";
import {
  type Answer,
  bothVersions,
  configFor,
  echo,
  failureOf,
  get,
  LocalServer,
  makeCertificates,
  type TestCertificates,
  textOf,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});
const never = new AbortController().signal;

describe.each(bothVersions)("401, over %s", (_name, speaks) => {
  const start = (answer: Answer) => LocalServer.start({ speaks, certificates, answer });
  function rotating(next: string | undefined) {
    const rejections: unknown[] = [];
    let token = "old";
    const credentials: Credentials = {
      current: async () => ({ headers: { authorization: token } }),
      rejected: async (shown) => {
        rejections.push(shown.headers);
        if (next === undefined) return false;
        token = next;
        return true;
      },
    };
    return { credentials, rejections };
  }
  const guard: Answer = (request, response) => {
    response.statusCode = request.headers.authorization === "new" ? 200 : 401;
    echo(request, response);
  };
  const oneShot = (async function* () {
    yield Buffer.from("x");
  })();

  for (const [name, next, body, status, asked] of [
    ["is repeated once with something newer", "new", { kind: "bytes", bytes: Buffer.from("x") }, 200, 1],
    ["is repeated with the same value", "new", { kind: "value", value: "x" }, 200, 1],
    ["is repeated only once", "newer but wrong", { kind: "none" }, 401, 1],
    ["is handed out when there is nothing newer", undefined, { kind: "none" }, 401, 1],
    ["is handed out when the body cannot be sent again", "new", { kind: "bytes", bytes: oneShot }, 401, 0],
  ] as const) {
    test(name, async () => {
      await using server = await start(guard);
      const { credentials, rejections } = rotating(next);
      await using transport = new HttpTransport(configFor(server, certificates, { credentials }));
      const response = await transport.as()(get("/", { method: "POST", body }), never);
      expect(response.status).toBe(status);
      expect(JSON.parse(await textOf(response)).body).toBe(
        body.kind === "none" ? "" : body.kind === "value" ? '"x"' : "x",
      );
      expect(rejections).toEqual(Array.from({ length: asked }, () => ({ authorization: "old" })));
    });
  }

  test("leaves nothing open when the credentials cannot say", async () => {
    await using server = await start(guard);
    const credentials: Credentials = {
      current: async () => ({ headers: {} }),
      rejected: async () => {
        throw new Error("the plugin crashed");
      },
    };
    await using transport = new HttpTransport(configFor(server, certificates, { credentials }));
    expect(await failureOf(transport.as()(get(), never))).toMatchObject({ message: "the plugin crashed" });
  });
});
