import { once } from "node:events";
import { createServer as createTcp } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { HttpTransport } from "./http-transport.ts";
import { LocalProxy } from "./local-proxies.fixture.ts";
import {
  configFor,
  failureOf,
  get,
  LocalServer,
  makeCertificates,
  type TestCertificates,
  textOf,
} from "./local-servers.fixture.ts";

let certificates: TestCertificates;
let strangers: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
  strangers = await makeCertificates("strangers");
});
const never = new AbortController().signal;

const schemes = {
  http: (options: import("./local-proxies.fixture.ts").ProxyOptions) => LocalProxy.startHttp(options),
  https: (options: import("./local-proxies.fixture.ts").ProxyOptions) => LocalProxy.startHttps(options, certificates),
  socks5: (options: import("./local-proxies.fixture.ts").ProxyOptions) => LocalProxy.startSocks(options),
} as const;

const server = (speaks: "plain" | "h1" | "h2") =>
  LocalServer.start({ speaks, certificates, answer: (request, response) => response.end(`ok ${request.url}`) });

for (const scheme of ["http", "https", "socks5"] as const) {
  describe(`through ${scheme} proxies`, () => {
    for (const speaks of ["plain", "h1", "h2"] as const) {
      for (const login of [undefined, "ann:p@ss word"]) {
        test(`reaches a server that speaks ${speaks}, ${login === undefined ? "without" : "with"} a login`, async () => {
          await using target = await server(speaks);
          await using proxy = await schemes[scheme]({
            targetPort: target.port,
            ...(login === undefined ? {} : { login }),
          });
          const user = login === undefined ? "" : "ann:p%40ss%20word@";
          const proxyUrl = `${scheme}://${user}127.0.0.1:${proxy.port}`;
          await using transport = new HttpTransport(configFor(target, certificates, { proxyUrl }));
          const send = transport.as();
          expect(await textOf(await send(get("/1"), never))).toBe("ok /1");
          expect(await textOf(await send(get("/2"), never))).toBe("ok /2");
          // One tunnel, asked for once; what goes through it is none of the proxy's business.
          const verb = scheme === "socks5" ? "socks" : "CONNECT";
          expect(proxy.asked).toEqual([`${verb} 127.0.0.1:${target.port}`]);
        });
      }
    }

    test("leaves looking up names to the proxy", async () => {
      await using target = await server("h2");
      await using proxy = await schemes[scheme]({ targetPort: target.port });
      const proxyUrl = `${scheme}://127.0.0.1:${proxy.port}`;
      await using transport = new HttpTransport(
        configFor({ url: "https://kube.test:6443" }, certificates, { proxyUrl }),
      );
      expect(await textOf(await transport.as()(get(), never))).toBe("ok /");
      expect(proxy.asked).toEqual([`${scheme === "socks5" ? "socks" : "CONNECT"} kube.test:6443`]);
    });
  });
}

test("asks SOCKS proxies for addresses as addresses", async () => {
  await using target = await server("h2");
  await using proxy = await LocalProxy.startSocks({ targetPort: target.port });
  const tls = { ...configFor(target, certificates).tls, serverName: "kube.test" };
  const config = configFor({ url: "https://[fd00::1:2]:6443" }, undefined, {
    tls,
    proxyUrl: `socks5://127.0.0.1:${proxy.port}`,
  });
  await using transport = new HttpTransport(config);
  await textOf(await transport.as()(get(), never));
  expect(proxy.asked).toEqual(["socks fd000000000000000000000000010002:6443"]);
});

describe("refusals", () => {
  for (const [name, scheme, options, user, message] of [
    ["no login", "http", { login: "a:b" }, "", "the proxy refused: 407 Proxy Authentication Required"],
    ["a wrong login", "http", { login: "a:b" }, "a:c@", "the proxy refused: 407 Proxy Authentication Required"],
    [
      "a target it does not like",
      "http",
      { refusal: "HTTP/1.1 403 Forbidden" },
      "",
      "the proxy refused: 403 Forbidden",
    ],
    ["what is no proxy", "http", { refusal: "SSH-2.0-OpenSSH" }, "", "the proxy does not speak HTTP"],
    ["no login", "socks5", { login: "a:b" }, "", "the proxy offers no supported authentication method"],
    ["a wrong login", "socks5", { login: "a:b" }, "a:c@", "the proxy refused the user and password"],
    ["a target it does not like", "socks5", { refusal: 2 }, "", "the proxy refused: not allowed by its rules"],
    ["a target that is not there", "socks5", { refusal: 5 }, "", "the proxy refused: connection refused"],
    ["for no reason known", "socks5", { refusal: 77 }, "", "the proxy refused: unknown reason"],
  ] as const) {
    test(`${scheme}: ${name}`, async () => {
      await using target = await server("h2");
      await using proxy = await schemes[scheme]({ targetPort: target.port, ...options });
      const proxyUrl = `${scheme}://${user}127.0.0.1:${proxy.port}`;
      await using transport = new HttpTransport(configFor(target, certificates, { proxyUrl }));
      expect(await failureOf(transport.as()(get(), never))).toMatchObject({
        name: "TransportError",
        reason: "ConnectFailed",
        wasSent: "no",
        message: `connecting failed: ${message}`,
      });
      await proxy.untilEmpty();
    });
  }

  test("https: of a proxy whose authority is a stranger's", async () => {
    await using target = await server("h2");
    await using proxy = await LocalProxy.startHttps({ targetPort: target.port }, strangers);
    const proxyUrl = `https://127.0.0.1:${proxy.port}`;
    await using transport = new HttpTransport(configFor(target, certificates, { proxyUrl }));
    const failure = await failureOf(transport.as()(get(), never));
    expect(failure["message"]).toMatch(/^connecting failed: .*(unable to verify|signature)/);
  });

  test("a proxy scheme that is not known", async () => {
    const config = configFor({ url: "https://127.0.0.1:1" }, certificates, { proxyUrl: "ftp://127.0.0.1:2" });
    await using transport = new HttpTransport(config);
    expect((await failureOf(transport.as()(get(), never)))["message"]).toMatch(/proxy scheme "ftp" is not one of/);
  });

  for (const [name, scheme, answer, message] of [
    ["hangs up", "http", undefined, /the proxy closed the connection/],
    ["hangs up", "socks5", undefined, /the proxy closed the connection/],
    ["talks without end", "http", "x".repeat(100_000), /the proxy's reply is too long/],
    ["speaks something else", "socks5", "HTTP/1.1 400 Bad Request\r\n\r\n", /the proxy does not speak SOCKS5/],
  ] as const) {
    test(`${scheme}: one that ${name}`, async () => {
      const odd = createTcp((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => (answer === undefined ? socket.end() : socket.write(answer)));
      });
      odd.listen(0, "127.0.0.1");
      await once(odd, "listening");
      await using proxy = LocalProxy.wrap(odd, []);
      const config = configFor({ url: "https://127.0.0.1:1" }, certificates, {
        proxyUrl: `${scheme}://127.0.0.1:${proxy.port}`,
      });
      await using transport = new HttpTransport(config);
      expect((await failureOf(transport.as()(get(), never)))["message"]).toMatch(message);
      await proxy.untilEmpty();
    });
  }
});
