// Bodies no mutation would come upon: bombs, towers, and bytes that are no text. Each is told what the good one would have been.
import type { Draw } from "./draw.contract.ts";

type WholeBody = (draw: Draw, good: string) => string | Uint8Array;

const mib = 1024 * 1024;
const head = '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}';

const many = (each: (i: number) => string) => Array.from({ length: 50_000 }, (_, i) => each(i)).join(",");

/** What takes long to send: only now and then. */
const heavy: readonly WholeBody[] = [
  (_draw, good) => `${good.slice(0, -1)}${" ".repeat(3 * mib)}}`,
  () => `{${head},"data":{"a":"${"x".repeat(3 * mib - 100)}"}}`,
  () => `{${head},"data":{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":""`).join(",")}}}`,
  () => `{${head},"data":{${'"same":"",'.repeat(200_000)}"same":""}}`,
  () => `{${'"unknown":0,'.repeat(200_000)}${head}}`,
  () => "[".repeat(1_000_000),
  () => `{${head},"data":${'{"a":'.repeat(300_000)}`,
  () => `{${head},"data":{"a":${"9".repeat(mib)}}}`,
  () => `{${head},"data":{"a":"${"\\ud800".repeat(100_000)}"}}`,
  // More faults, and more of everything, than anybody wants to hear of.
  () => `{"metadata":{"name":"x","labels":{${many((i) => `"! ${i}":""`)}}}}`,
  () => `{"metadata":{"name":"x","finalizers":[${many((i) => `"f${i}"`)}]}}`,
  () => `{"metadata":{"name":"x"},"spec":{"containers":[${many(() => "{}")}]}}`,
  () => `{"metadata":{"name":"x"},"spec":{"ports":[${many(() => "{}")}]}}`,
  () => `a: ${"[".repeat(100_000)}`,
  () => "- ".repeat(300_000),
  () => "? ".repeat(300_000),
  () => Array.from({ length: 2_000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
  () =>
    `p: [${"x,".repeat(20_000)}]\na0: &a0 {}\n${Array.from({ length: 900 }, (_, i) => `a${i + 1}: &a${i + 1} {<<: *a${i}}`).join("\n")}`,
  () => `${"a: &a\n".repeat(30_000)}`,
  () => `${Array.from({ length: 20_000 }, (_, i) => `${" ".repeat(i % 200)}- a`).join("\n")}`,
];

const light: readonly WholeBody[] = [
  () => "",
  () => "null",
  () => "0",
  () => "[]",
  () => '"text"',
  () => "{",
  () => "{}{}",
  () => "\ufeff{}",
  (_draw, good) => `\ufeff${good}`,
  (_draw, good) => `${good}${good}`,
  (_draw, good) => `${good.slice(0, -1)},"metadata":null}`,
  (_draw, good) => `${good.slice(0, -1)},"__proto__":{"polluted":"yes"}}`,
  (_draw, good) => `${good.slice(0, -1)},"metadata":{"__proto__":{"polluted":"yes"},"name":"x"}}`,
  (_draw, good) => `${good.slice(0, -1)},"constructor":{"prototype":{"polluted":"yes"}}}`,
  (draw) => "[".repeat(draw.below(20_000)),
  (draw) => '{"a":'.repeat(draw.below(20_000)),
  (draw) => "- ".repeat(draw.below(12_000)),
  (draw) => `a: ${"{b: ".repeat(draw.below(1_500))}`,
  (draw) => {
    const depth = draw.below(12_000);
    return `{${head},"data":${'{"a":'.repeat(depth)}0${"}".repeat(depth)}}`;
  },
  (draw) => {
    const depth = draw.below(3_000);
    const schema = `${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${"}}".repeat(depth)}`;
    const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}`;
    const names = '{"plural":"things","kind":"Thing","singular":"thing","listKind":"ThingList"}';
    const spec = `{"group":"x.example.com","scope":"Namespaced","names":${names},"versions":[${version}]}`;
    return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.x.example.com"},"spec":${spec}}`;
  },
  // YAML that grows when it is read.
  () => {
    const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"];
    for (let i = 1; i < 12; i++)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(",")}]`);
    return lines.join("\n");
  },
  () => "a: &a [*a]",
  () => "a: &a {b: *a}\n<<: *a",
  () => "--- {}\n--- {}\n",
  () => "!!js/function 'function(){}'",
  () => "!<tag:yaml.org,2002:js/undefined> ''",
  () => "%YAML 9.9\n---\n{}",
  () => "? {a: b}\n: c",
  () => "a: !!binary '%%%'\nb: !!float .inf\nc: !!int 0b2\nd: 0o9\ne: 1_000\nf: 12:30:45",
  () => "key: |\n\t\ttabs\n - x: y:\n: :",
  () => "__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}",
  // Patches that grow when they are applied.
  () => {
    const double = '{"op":"copy","from":"/metadata","path":"/metadata/annotations"}';
    return `[${Array.from({ length: 40 }, () => double).join(",")}]`;
  },
  () => {
    const grow = '{"op":"copy","from":"/data","path":"/data/x"}';
    return `[{"op":"add","path":"/data","value":{"a":"b"}},${Array.from({ length: 60 }, () => grow).join(",")}]`;
  },
  () => `[${Array.from({ length: 10_001 }, () => '{"op":"test","path":"","value":0}').join(",")}]`,
  () => `[${Array.from({ length: 3_000 }, () => '{"op":"add","path":"/metadata/labels/a","value":"b"}').join(",")}]`,
  () => '[{"op":"add","path":"/__proto__/polluted","value":"yes"}]',
  () => '[{"op":"add","path":"/constructor/prototype/polluted","value":"yes"}]',
  () => '[{"op":"replace","path":"","value":null}]',
  () => '[{"op":"move","from":"/metadata","path":"/metadata/x"},{"op":"remove","path":"/kind"}]',
  () => '[{"op":"add","path":"/metadata/finalizers/99999999999999999999","value":"x/y"}]',
  () => '{"metadata":null}',
  () => '{"spec":null,"status":null,"kind":null}',
  () => '{"$patch":"replace"}',
  () => '{"$patch":"delete","metadata":{"$patch":"merge"}}',
  () => '{"spec":{"template":{"spec":{"containers":[{"$patch":"delete"},{"name":null},null,0]}}}}',
  () => '{"spec":{"$retainKeys":["__proto__"],"ports":[{"$patch":"replace"}]}}',
  () => '{"metadata":{"$setElementOrder/finalizers":["a",null,{}],"$deleteFromPrimitiveList/finalizers":7}}',
  // Bytes.
  () => new Uint8Array([0xff, 0xfe, 0x7b, 0x00]),
  () => new Uint8Array([0x1f, 0x8b, 0x08, 0x00]),
  () => new Uint8Array([0x6b, 0x38, 0x73, 0x00]),
  () => new Uint8Array([0x6b, 0x38, 0x73, 0x00, 0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
  (draw) => Uint8Array.from({ length: draw.below(300) }, () => draw.below(256)),
  (draw) => Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), Buffer.alloc(draw.below(3_000), 0x0a)]),
  (_draw, good) => Buffer.from(good, "utf16le"),
  (_draw, good) => Buffer.from(good.replaceAll("a", "\u00e9"), "latin1"),
];

export function wholeBody(draw: Draw, good: string): Uint8Array {
  const body = (draw.oneIn(120) ? draw.from(heavy) : draw.from(light))(draw, good);
  return typeof body === "string" ? Buffer.from(body, "utf8") : body;
}
