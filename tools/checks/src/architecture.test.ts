import { describe, expect, test } from "vitest";
import { complaints, type Rule, rules } from "./architecture.ts";
import { folderCycles } from "./folder-cycles.ts";
import { checkKindLookUps, mayLookUpKinds } from "./kind-look-ups.ts";
import { checkMeasuredTime, mayReadTime } from "./measured-time.ts";
import { listFiles, readFiles } from "./repository.ts";
import { blankOut, importsOf } from "./source-text.ts";

const files = readFiles(listFiles(".ts"));

describe("this repository keeps the rules", () => {
  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => expect(complaints(files, [rule])).toEqual([]));
  }

  test("no folders of core, or of the server's resources and admission, form a cycle, on any level", () => {
    expect(folderCycles(files, "packages/core/src")).toEqual([]);
    expect(folderCycles(files, "packages/apiserver/src/resources")).toEqual([]);
    expect(folderCycles(files, "packages/apiserver/src/admission")).toEqual([]);
  });

  test("no verb of the server imports another: what they share is below them", () => {
    const folder = "packages/apiserver/src/resources/verbs/";
    const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
    const complaints = files
      .filter(({ path }) => path.startsWith(folder) && !path.endsWith(".test.ts"))
      .flatMap(({ path, text }) =>
        importsOf(text).flatMap(({ specifier }) =>
          verbs.some((verb) => specifier.endsWith(`/${verb}.ts`)) ? [path] : [],
        ),
      );
    expect(complaints).toEqual([]);
    expect(files.filter(({ path }) => verbs.some((verb) => path === `${folder}${verb}.ts`))).toHaveLength(verbs.length);
  });

  test("and the rules looked at all of it", () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => importsOf(file.text).length > 0).length).toBeGreaterThan(80);
  });
});

test("every file that may read time still does", () => {
  const unused = Object.keys(mayReadTime).filter((path) => {
    const file = files.find((each) => each.path === path);
    return file === undefined || checkMeasuredTime({ ...file, path: "x.test.ts" }).length === 0;
  });
  expect(unused).toEqual([]);
});

test("every file that may look kinds up still does", () => {
  const unused = Object.keys(mayLookUpKinds).filter((path) => {
    const file = files.find((each) => each.path === path);
    return file === undefined || checkKindLookUps({ ...file, path: "packages/apiserver/src/x.ts" }).length === 0;
  });
  expect(unused).toEqual([]);
});

/** Each rule broken, and kept in a way that looks like breaking it. */
describe("a broken rule is seen", () => {
  const cases: readonly (readonly [rule: string, path: string, text: string, expected: readonly string[]])[] = [
    [
      "imports point down",
      "packages/core/src/base/x.ts",
      'import { a } from "../api/index.ts";',
      [':1: layer base imports upwards: "../api/index.ts"'],
    ],
    [
      "imports point down",
      "packages/core/src/workqueue/x.ts",
      'import type { A } from "../api/a.ts";',
      ["layer workqueue imports upwards"],
    ],
    [
      "imports point down",
      "packages/core/src/informer/x.ts",
      'export { a } from "../runtime/a.ts";',
      ["layer informer imports upwards"],
    ],
    [
      "imports point down",
      "packages/core/src/informer/queue/x.ts",
      'import { a } from "../shared/a.ts";',
      [':1: informer/queue imports upwards: "../shared/a.ts"'],
    ],
    [
      "imports point down",
      "packages/core/src/informer/tombstone.ts",
      'import { a } from "./store/a.ts";',
      ["informer/tombstone.ts imports upwards"],
    ],
    [
      "imports point down",
      "packages/core/src/informer/store/x.ts",
      'import { a } from "../new-folder/a.ts";',
      ["informer/store imports upwards"],
    ],
    ["imports point down", "packages/core/src/informer/shared/x.ts", 'import { a } from "../queue/a.ts";', []],
    ["imports point down", "packages/core/src/informer/queue/x.test.ts", 'import { a } from "../shared/a.ts";', []],
    [
      "imports point down",
      "packages/core/src/client/x.ts",
      'const a = await import("../informer/a.ts");',
      ["layer client imports upwards"],
    ],
    [
      "imports point down",
      "packages/core/src/nowhere/x.ts",
      'import { a } from "../base/index.ts";',
      ["layer nowhere imports upwards"],
    ],
    [
      "imports point down",
      "packages/core/src/base/x.ts",
      'import { a } from "../odd/index.ts";',
      ["layer base imports upwards"],
    ],
    [
      "imports point down",
      "packages/core/src/runtime/x.ts",
      'import { a } from "../base/index.ts";\nimport b from "node:fs";',
      [],
    ],
    [
      "imports point down",
      "packages/core/src/base/x.ts",
      'import { a } from "lodash";',
      ['core may not depend on "lodash"'],
    ],
    [
      "imports point down",
      "packages/core/src/base/x.ts",
      'import pino from "pino";',
      ['core may not depend on "pino"'],
    ],
    ["imports point down", "packages/core/src/base/x.ts", 'import type { Logger } from "pino";', []],
    [
      "imports point down",
      "packages/core/src/base/x.ts",
      'import { a } from "@kubeloop/controllers";',
      ["core may not depend on"],
    ],
    [
      "imports point down",
      "packages/core/src/base/x.ts",
      'import { a } from "../../../apiserver/src/a.ts";',
      ["leaves its package"],
    ],
    [
      "imports point down",
      "packages/apiserver/src/x.ts",
      'import { a } from "@kubeloop/core/client";',
      ["apiserver may not see core's"],
    ],
    ["imports point down", "packages/apiserver/src/x.ts", 'import { a } from "@kubeloop/core/api";', []],
    [
      "imports point down",
      "packages/apiserver/src/kinds/core/x.ts",
      'import { a } from "../../wire/decode/a.ts";',
      ["layer kinds imports upwards"],
    ],
    [
      "imports point down",
      "packages/apiserver/src/storage/x.ts",
      'import type { A } from "../resources/a.ts";',
      ["layer storage imports upwards"],
    ],
    [
      "imports point down",
      "packages/apiserver/src/serving/x.ts",
      'import { a } from "../api-server.ts";',
      ["layer serving imports upwards"],
    ],
    [
      "imports point down",
      "packages/apiserver/src/resources/x.ts",
      'const a = await import("../reservations/a.ts");',
      ["layer resources imports upwards"],
    ],
    [
      "imports point down",
      "packages/apiserver/src/odd/x.ts",
      'import { a } from "../storage/a.ts";',
      ["layer odd imports upwards"],
    ],
    [
      "imports point down",
      "packages/apiserver/src/wire/x.ts",
      'import { a } from "../storage/a.ts";\nimport { b } from "../kinds/b.ts";\nimport { c } from "./c.ts";',
      [],
    ],
    [
      "imports point down",
      "packages/apiserver/src/kinds/core/x.test.ts",
      'import { a } from "../../api-server.ts";',
      [],
    ],
    ["imports point down", "packages/core/src/client/x.contract.ts", 'import { test } from "vitest";', []],
    ["imports point down", "packages/core/src/client/x.ts", 'import { test } from "vitest";', ["may not depend on"]],
    [
      "imports point down",
      "packages/controllers/src/x.ts",
      'import { a } from "@kubeloop/core/informer";',
      ["controllers may not see core's"],
    ],
    ["imports point down", "packages/controllers/src/x.ts", 'import { a } from "@kubeloop/core/contract";', []],
    [
      "imports point down",
      "packages/nodes/src/life/x.ts",
      'import { a } from "../driver/hollow-nodes.ts";',
      ["layer life imports upwards"],
    ],
    [
      "imports point down",
      "packages/nodes/src/x.ts",
      'import { a } from "@kubeloop/apiserver";',
      ["may not depend on"],
    ],
    [
      "imports point down",
      "packages/controller-manager/src/x.ts",
      'import { a } from "@kubeloop/apiserver";',
      ["may not depend on"],
    ],
    [
      "imports point down",
      "packages/core/src/base/x.ts",
      '// import { a } from "lodash";\nconst s = `import "lodash"`;',
      [],
    ],
    [
      "a served resource says its schema",
      "packages/apiserver/src/resources/verbs/x.ts",
      "a();\nconst schema = schemaOfKind(object);",
      [":2: schemaOfKind instead of asking the served resource"],
    ],
    [
      "a served resource says its schema",
      "packages/apiserver/src/wire/x.ts",
      "schemaNamed(name); // schemaOfKind(object)",
      ["schemaNamed"],
    ],
    ["a served resource says its schema", "packages/apiserver/src/wire/x.test.ts", "schemaOfKind(object);", []],
    ["a served resource says its schema", "packages/core/src/api/x.ts", "schemaOfKind(object);", []],
    ["no any outside decoders", "packages/core/src/api/x.ts", "let a: any;", [":1: `any` outside a decoder"]],
    [
      "no any outside decoders",
      "packages/core/src/api/x.ts",
      "const a = b as any as Map<string, any>;",
      ["`any`", "`any`"],
    ],
    ["no any outside decoders", "packages/core/src/api/decode-status.ts", "let a: any;", []],
    ["no any outside decoders", "packages/core/src/api/x.ts", 'const any = "any"; // any\nPromise.any([]);', ["`any`"]],
    [
      "no any outside decoders",
      "packages/core/src/api/x.ts",
      "// any of them\nconst a = `any ${b} any`; Promise.any([a]);",
      [],
    ],
    [
      "time and chance only in base",
      "packages/core/src/client/x.ts",
      "const a = Date.now();",
      ["Date.now outside base"],
    ],
    [
      "time and chance only in base",
      "packages/core/src/client/x.ts",
      "a();\nsetTimeout(() => {}, 1);",
      [":2: setTimeout outside base"],
    ],
    [
      "time and chance only in base",
      "packages/core/src/client/x.ts",
      "const a = Math.random() + performance.now();",
      ["Math.random", "performance.now"],
    ],
    ["time and chance only in base", "packages/core/src/client/x.ts", "const a = new Date();", ["new Date()"]],
    ["time and chance only in base", "packages/core/src/client/x.test.ts", "setImmediate(a);", ["setImmediate"]],
    [
      "time and chance only in base",
      "packages/core/src/client/x.ts",
      "AbortSignal.any([a, b]); AbortSignal.timeout(5);",
      ["AbortSignal.any", "AbortSignal.timeout"],
    ],
    [
      "time and chance only in base",
      "packages/core/src/client/x.ts",
      'import { setTimeout as wait } from "node:timers/promises";',
      ["setTimeout", "node:timers/promises"],
    ],
    ["time and chance only in base", "packages/core/src/base/clock.ts", "Date.now(); setTimeout(a, 1);", []],
    [
      "time and chance only in base",
      "packages/core/src/client/x.ts",
      "const a = new Date(ms); socket.setTimeout(5); /Date.now()/.test(b);",
      [],
    ],
    ["time and chance only in base", "packages/core/src/client/x.ts", "globalThis.setTimeout(a);", ["setTimeout"]],
    ["time and chance only in base", "packages/core/src/client/x.ts", "const a = new Date;", ["new Date"]],
    ["time and chance only in base", "packages/core/src/client/x.ts", "const a = randomUUID();", ["randomUUID"]],
    [
      "tests measure no time",
      "packages/core/src/client/x.test.ts",
      "const a = systemClock.monotonic();\nexpect(process.cpuUsage().user).toBe(0);",
      [":1: a test reads systemClock.monotonic", ":2: a test reads process.cpuUsage"],
    ],
    [
      "tests measure no time",
      "packages/core/src/base/x.slow.test.ts",
      "expect(performance.now() - Date.now()).toBeLessThan(5);",
      ["performance.now", "Date.now"],
    ],
    ["tests measure no time", "packages/core/src/base/x.contract.ts", "systemClock.sleep(5, signal);", ["sleep"]],
    [
      "tests measure no time",
      "tools/x/src/x.fixture.ts",
      'import { performance } from "node:perf_hooks";',
      ["node:perf_hooks"],
    ],
    ["tests measure no time", "packages/core/src/x/x.kubernetes.test.ts", "systemClock.now();", []],
    [
      "tests measure no time",
      "packages/core/src/x/x.test.ts",
      'clock.now(); await systemClock.yield(); log("systemClock.now()"); // Date.now()',
      [],
    ],
    [
      "pure layers do no I/O",
      "packages/core/src/rules/x.ts",
      'import net from "node:net";\nimport { a } from "node:util";',
      ["node:net"],
    ],
    [
      "pure layers do no I/O",
      "packages/controllers/src/x.ts",
      'const a = await import("node:fs/promises");',
      ["node:fs"],
    ],
    ["pure layers do no I/O", "packages/core/src/client/x.ts", 'import net from "node:net";', []],
    ["no default exports", "packages/core/src/api/x.ts", 'export { default } from "./a.ts";', ["default export"]],
    ["no default exports", "packages/core/src/api/x.ts", "export default function a() {}", ["default export"]],
    ["no default exports", "packages/core/src/api/x.ts", "export { a as default };", ["default export"]],
    ["no default exports", "packages/core/src/api/x.ts", 'const a = "export default"; switch (b) { default: }', []],
    ["no export *", "packages/core/src/api/x.ts", 'export * from "./a.ts";', ["export *"]],
    ["no export *", "packages/core/src/api/x.ts", 'export type * from "./a.ts";', ["export *"]],
    ["no export *", "packages/core/src/api/x.ts", 'export type * as a from "./a.ts";', []],
    ["a promise on top", "packages/core/src/api/x.ts", "export const a = 1;", [":1: no promise on top"]],
    ["a promise on top", "packages/core/src/api/x.ts", "#!/usr/bin/env node\n// Runs.\n", []],
    ["a promise on top", "packages/core/src/api/x.test.ts", "export const a = 1;", []],
  ];
  for (const [name, path, text, expected] of cases) {
    test(`${name}: ${path}: ${text.replaceAll("\n", " ⏎ ")}`, () => {
      const found = complaints([{ path, text }], [rules[name] as Rule]);
      expect(found).toHaveLength(expected.length);
      for (const [i, part] of expected.entries()) expect(found[i]).toContain(part);
    });
  }

  test("every rule is broken at least once above", () => {
    const broken = new Set(cases.filter(([, , , expected]) => expected.length > 0).map(([name]) => name));
    expect([...broken].sort()).toEqual(Object.keys(rules).sort());
  });
});

describe("a cycle of folders is seen", () => {
  const root = "packages/core/src";
  const importing = (path: string, ...specifiers: readonly string[]) => ({
    path: `${root}/${path}`,
    text: specifiers.map((specifier) => `import { a } from "${specifier}";`).join("\n"),
  });
  const cases: readonly (readonly [what: string, files: readonly ReturnType<typeof importing>[], found: string[]])[] = [
    [
      "of two, with both imports that make it",
      [importing("api/x/a.ts", "../y/b.ts"), importing("api/y/c.ts", "./b.ts", "../x/d.ts"), importing("api/y/b.ts")],
      [
        `${root}/api/x/a.ts:1: imports "../y/b.ts", and folders of ${root}/api form a cycle: x → y → x`,
        `${root}/api/y/c.ts:2: imports "../x/d.ts", and folders of ${root}/api form a cycle: y → x → y`,
      ],
    ],
    [
      "of three, deep inside a layer",
      [
        importing("client/in/x/a.ts", "../y/b.ts"),
        importing("client/in/y/b.ts", "../z/c.ts"),
        importing("client/in/z/c.ts", "../x/a.ts"),
      ],
      ["x → y → z → x", "y → z → x → y", "z → x → y → z"],
    ],
    [
      "that leads over a file beside the folders",
      [importing("api/x/a.ts", "../top.ts"), importing("api/top.ts", "./y/b.ts"), importing("api/y/b.ts", "../x/a.ts")],
      ["x → top.ts → y → x", "top.ts → y → x → top.ts", "y → x → top.ts → y"],
    ],
    [
      "between layers",
      [importing("base/a.ts", "../api/b.ts"), importing("api/b.ts", "../base/c.ts")],
      ["base → api → base", "api → base → api"],
    ],
    ["but not of a folder and a file", [importing("api/x/a.ts", "../b.ts"), importing("api/b.ts", "./x/a.ts")], []],
    ["but not where imports go one way", [importing("api/x/a.ts", "../y/b.ts"), importing("api/y/b.ts", "./c.ts")], []],
    ["but not in tests", [importing("api/x/a.ts", "../y/b.ts"), importing("api/y/c.test.ts", "../x/a.ts")], []],
  ];
  for (const [what, planted, expected] of cases) {
    test(what, () => {
      const found = folderCycles(planted, root);
      expect(found).toHaveLength(expected.length);
      for (const [i, part] of expected.entries()) expect(found[i]).toContain(part);
    });
  }
});

describe("the scanner", () => {
  for (const [text, expected] of [
    ["a // b\nc", "a     \nc"],
    ["a /* b\nc */ d", "a     \n     d"],
    ['"a\\"b" + c', '"    " + c'],
    ["`a${b + `c${d}`}e` + f", "` ${b + ` ${d}`} ` + f"],
    ["x = /a\\/[/]b/g; y", "x = /       /g; y"],
    ["a / b / c", "a / b / c"],
    ["`${{ a: '}' }.a}` + any", "`${{ a: ' ' }.a}` + any"],
  ] as const) {
    test(JSON.stringify(text), () => {
      const blanked = blankOut(text);
      expect(blanked).toHaveLength(text.length);
      expect(blanked.replaceAll(/ +/g, " ")).toBe(expected.replaceAll(/ +/g, " "));
    });
  }
});
