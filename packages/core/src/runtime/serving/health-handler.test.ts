import { describe, expect, test } from "vitest";
import { type ApiRequest, collectBytes, noBody, parseQuery } from "../../api/index.ts";
import { deferred, FakeClock, type Log, noLog } from "../../base/index.ts";
import { HealthChecks } from "./health-checks.ts";
import { healthRoutes } from "./health-handler.ts";
import { routed } from "./routes.ts";

const never = new AbortController().signal;

function request(target: string, method = "GET"): ApiRequest {
  const [path = "", query = ""] = target.split("?");
  return { method, path, query: parseQuery(query), headers: {}, body: noBody, prefers: "bytes" };
}

function newEndpoint(faults: Record<string, string | undefined>, log: Log = noLog) {
  const checks = new HealthChecks({ clock: new FakeClock() });
  for (const name of Object.keys(faults)) checks.add(name, () => faults[name]);
  const serve = routed(healthRoutes("readyz", checks, log));
  return async (target: string, method?: string): Promise<readonly [status: number, text: string]> => {
    const { status, body } = await serve(request(target, method), never);
    if (body.kind !== "bytes") return [status, ""];
    return [status, Buffer.from(await collectBytes(body.bytes, { maxBytes: 10_000 })).toString()];
  };
}

const well = { informers: undefined, "my-controller": undefined };
const ill = { informers: "pods are forbidden", "my-controller": undefined };

const rows: readonly [
  fact: string,
  faults: Record<string, string | undefined>,
  target: string,
  status: number,
  text: string,
][] = [
  ["all is well: ok", well, "/readyz", 200, "ok"],
  [
    "verbose lists the checks",
    well,
    "/readyz?verbose",
    200,
    "[+]ping ok\n[+]informers ok\n[+]my-controller ok\nreadyz check passed\n",
  ],
  ["verbose may have a value", {}, "/readyz?verbose=true", 200, "[+]ping ok\nreadyz check passed\n"],
  [
    "one that fails fails all, and is listed without its reason",
    ill,
    "/readyz",
    500,
    "[+]ping ok\n[-]informers failed: reason withheld\n[+]my-controller ok\nreadyz check failed\n",
  ],
  ["one that fails may be left out", ill, "/readyz?exclude=informers", 200, "ok"],
  [
    "what is left out is listed as such",
    ill,
    "/readyz?exclude=informers&exclude=ping&verbose",
    200,
    "[+]ping excluded: ok\n[+]informers excluded: ok\n[+]my-controller ok\nreadyz check passed\n",
  ],
  [
    "leaving out what is not there is warned of, by name and in order",
    well,
    "/readyz?verbose&exclude=z&exclude=a",
    200,
    '[+]ping ok\n[+]informers ok\n[+]my-controller ok\nwarn: some health checks cannot be excluded: no matches for "a","z"\nreadyz check passed\n',
  ],
  ["one alone: ok", ill, "/readyz/my-controller", 200, "ok"],
  [
    "one alone that fails tells its reason",
    ill,
    "/readyz/informers",
    500,
    "internal server error: pods are forbidden\n",
  ],
  ["ping is always there", {}, "/readyz/ping", 200, "ok"],
  ["a slash at the end means all", well, "/readyz/", 200, "ok"],
  ["one that is not there is not found", well, "/readyz/other", 404, "404 page not found\n"],
  ["neither is another endpoint", well, "/livez", 404, "404 page not found\n"],
  ["neither is one whose name merely begins so", well, "/readyzz", 404, "404 page not found\n"],
];

describe("an endpoint", () => {
  for (const [fact, faults, target, status, text] of rows) {
    test(fact, async () => expect(await newEndpoint(faults)(target)).toEqual([status, text]));
  }

  test("is for reading only", async () => {
    expect((await newEndpoint(well)("/readyz", "POST"))[0]).toBe(405);
    expect((await newEndpoint(well)("/readyz", "HEAD"))[0]).toBe(200);
  });

  test("tells the log of changes, with reasons, and not of every probe", async () => {
    const lines: string[] = [];
    const note = (message: string, fields: unknown) => lines.push(`${message} ${JSON.stringify(fields)}`);
    const faults: Record<string, string | undefined> = { ...ill };
    const get = newEndpoint(faults, { ...noLog, info: note, warn: note });
    await get("/readyz");
    await get("/readyz");
    await get("/readyz?exclude=informers");
    faults["informers"] = undefined;
    await get("/readyz");
    await get("/readyz");
    expect(lines).toEqual([
      'health checks fail {"endpoint":"readyz","faults":{"informers":"pods are forbidden"}}',
      'health checks pass again {"endpoint":"readyz"}',
    ]);
  });
});

describe("checks", () => {
  test("one that throws, or rejects, has failed", async () => {
    const checks = new HealthChecks();
    checks.add("throws", () => {
      throw new Error("no");
    });
    checks.add("rejects", () => Promise.reject(new Error("never")));
    expect(await checks.lookAtAll(new Set(["ping"]), never)).toEqual([
      { name: "ping", kind: "excluded" },
      { name: "throws", kind: "failed", fault: "no" },
      { name: "rejects", kind: "failed", fault: "never" },
    ]);
  });

  test("one that hangs fails after its time, and its signal says so; the others do not wait for each other", async () => {
    const clock = new FakeClock();
    const checks = new HealthChecks({ clock, checkTimeoutMs: 1000 });
    let aborted = 0;
    for (const name of ["first", "second"]) {
      checks.add(name, (signal) => {
        signal.addEventListener("abort", () => aborted++);
        return deferred<undefined>().promise;
      });
    }
    const looking = checks.lookAtAll(new Set(), never);
    await clock.advance(1000);
    const fault = (name: string) => ({
      name,
      kind: "failed",
      fault: expect.stringContaining("timed out after 1000 ms"),
    });
    expect(await looking).toEqual([{ name: "ping", kind: "ok" }, fault("first"), fault("second")]);
    expect([aborted, clock.pending()]).toEqual([2, []]);
  });

  test("who goes away is not told that all is ill", async () => {
    const checks = new HealthChecks();
    checks.add("hangs", () => deferred<undefined>().promise);
    const gone = new AbortController();
    const looking = checks.lookAtAll(new Set(), gone.signal);
    gone.abort(new Error("gone"));
    await expect(looking).rejects.toThrow("gone");
  });

  test("one taken back is gone, and its name is free", async () => {
    const checks = new HealthChecks();
    const added = checks.add("mine", () => "ill");
    expect(() => checks.add("mine", () => undefined)).toThrow("already");
    added[Symbol.dispose]();
    checks.add("mine", () => undefined);
    added[Symbol.dispose]();
    expect(await checks.look("mine", never)).toEqual({ name: "mine", kind: "ok" });
  });

  for (const name of ["", "a/b", "a b", "ä", ".."]) {
    test(`${JSON.stringify(name)} is no name for one`, () => {
      expect(() => new HealthChecks().add(name, () => undefined)).toThrow("cannot be the name");
    });
  }
});
