import { describe, expect, test } from "vitest";
import { callSiteOf, holdName, releaseName, uniqueName } from "./reflector-name.ts";
import { setUp } from "./running-reflector.fixture.ts";

const stack = (...frames: readonly string[]) => ["Error", ...frames.map((frame) => `    at ${frame}`)].join("\n");

describe("the line of code that made a reflector", () => {
  test.each<readonly [string, string | undefined, string | undefined]>([
    [
      "is the first outside the informer layer",
      stack(
        "new Reflector (file:///k/packages/core/src/informer/reflector/reflector.ts:80:50)",
        "new SharedIndexInformer (file:///k/packages/core/src/informer/shared/shared-index-informer.ts:30:5)",
        "main (file:///home/me/shop/orders.ts:12:3)",
        "node:internal/main:1:1",
      ),
      "shop/orders.ts:12",
    ],
    [
      "is the first outside the folder of a bundle",
      stack(
        "new Reflector (/app/node_modules/@kubeloop/core/dist/bundle/cjs/chunk-X.js:80:50)",
        "make (/app/node_modules/@kubeloop/core/dist/bundle/cjs/index.js:3:1)",
        "/app/main.js:7:9",
      ),
      "app/main.js:7",
    ],
    [
      "is found on Windows",
      stack("new Reflector (C:\\k\\informer\\reflector.ts:8:5)", "Object.<anonymous> (C:\\shop\\main.ts:5:1)"),
      "shop/main.ts:5",
    ],
    ["passes over the platform", stack("f (/k/informer/a.ts:1:1)", "run (node:internal/timers:1:1)"), undefined],
    ["is unknown where all is ours", stack("f (/k/informer/a.ts:1:1)", "g (/k/informer/b/c.ts:1:1)"), undefined],
    ["is unknown where stacks are written otherwise", "f@/k/a.ts:1:1", undefined],
    ["is unknown where there is no stack", undefined, undefined],
  ])("%s", (_, text, expected) => {
    expect(callSiteOf(text)).toBe(expected);
  });

  test("can be read from a stack of this platform", () => {
    expect(callSiteOf(new Error().stack)).toMatch(/:\d+$/);
  });
});

describe("a name", () => {
  test("is numbered while others have it", () => {
    expect([uniqueName("one of a kind"), uniqueName("one of a kind"), uniqueName("another")]).toEqual([
      "one of a kind",
      "one of a kind#2",
      "another",
    ]);
  });

  test("that was given back is the next one's", () => {
    const [first, second] = [uniqueName("given back"), uniqueName("given back")];
    releaseName(first);
    expect([uniqueName("given back"), uniqueName("given back")]).toEqual(["given back", "given back#3"]);
    releaseName(second);
    expect(uniqueName("given back")).toBe("given back#2");
  });

  test("that two have is free when both have given it back", () => {
    const name = uniqueName("held twice");
    holdName(name);
    releaseName(name);
    expect(uniqueName("held twice")).toBe("held twice#2");
    releaseName(name);
    expect(uniqueName("held twice")).toBe("held twice");
  });
});

test("reflectors that have ended give their names back", async () => {
  const names: string[] = [];
  for (let i = 0; i < 3; i++) {
    const { run, stop, reflector } = setUp({}, { name: "comes and goes" });
    await run(0);
    await stop();
    names.push(reflector.name);
  }
  expect(names).toEqual(["comes and goes", "comes and goes", "comes and goes"]);
});
