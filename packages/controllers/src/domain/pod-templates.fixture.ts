// Pod templates drawn from the types of Go: any field of any struct that a template may hold, valid or not, so that each is hashed by and by.
// The same seed gives the same templates.
import type { corev1 } from "@kubeloop/core/api";
import { type Random, seededRandom } from "@kubeloop/core/base";
import { goTypes } from "./go-dump.ts";

export interface DrawnTemplate {
  readonly template: corev1.PodTemplateSpec;
  readonly collisionCount?: number;
  readonly isAsSent?: boolean;
}

export function drawTemplates(seed: string, count: number): readonly DrawnTemplate[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const draw = new Draw(random.fork(String(i)));
    const template = draw.value("v1.PodTemplateSpec", 0) as corev1.PodTemplateSpec;
    if (i % 5 === 0) return { template, collisionCount: draw.pick([0, 1, 2, 2_147_483_647]) };
    return i % 5 === 1 ? { template, isAsSent: true } : { template };
  });
}

const words = [
  "",
  "a",
  "web",
  "example.com/app:1",
  "--flag=x y",
  "ünïcödé",
  "日本語",
  "🚀 up",
  "line\nbreak",
  '"quoted"',
  "<nil>",
];
const keys = ["app", "app.kubernetes.io/name", "z", "Z", "ä", "\u{fffd}", "🚀", "a b"];
const quantities = [
  ...[
    "0",
    "1",
    "100m",
    "0.5",
    "1500m",
    "1000",
    "1k",
    "12e6",
    "1.5Gi",
    "64Mi",
    "1000Mi",
    "200Ti",
    "20Ti",
    "1Pi",
    "1Ei",
    "8Ei",
  ],
  ...[
    "3n",
    "0.1n",
    "1.0000000001",
    "123456789012345678",
    "1234567890123456789",
    "12345678901234567890.5",
    "100E",
    "-5",
    "-1Gi",
    "-200Ti",
  ],
  ...["1E3", "1e-9", "5e-10", "0.001Ki", "1.500", "0Ki", "+7", "7u", "1e18", "999999999999999999999999"],
];
const times = ["2024-01-02T03:04:05Z", "1969-12-31T23:59:59Z", "2024-02-29T12:00:00Z"];

class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.next() * from.length)] as T;
  }

  value(type: string, depth: number): unknown {
    const element = /^(?:\*|\[\]|map\[[^\]]+\])(.+)$/.exec(type)?.[1];
    if (element !== undefined) {
      if (type.startsWith("*")) return this.value(element, depth);
      const size = this.pick(depth > 5 ? [0, 1] : [0, 1, 1, 2, 3]);
      const items = Array.from({ length: size }, () => this.value(element, depth + 1));
      return type.startsWith("[]") ? items : Object.fromEntries(items.map((item) => [this.pick(keys), item]));
    }
    const scalar = this.#scalar(type);
    if (scalar !== undefined) return scalar;
    const { structs, others } = goTypes();
    const other = others.get(type);
    if (other !== undefined) return this.value(other, depth);
    const object: Record<string, unknown> = {};
    // Deep down only what must be there, or a template would not end.
    const share = depth === 0 ? 1 : depth > 7 ? 0 : 0.45;
    for (const field of structs.get(type) ?? []) {
      if (field.json === "") Object.assign(object, this.value(field.type, depth));
      else if (this.#random.next() < share) object[field.json] = this.value(field.type, depth + 1);
    }
    return object;
  }

  #scalar(type: string): unknown {
    switch (type) {
      case "string":
        return this.pick(words);
      case "bool":
        return this.pick([true, false]);
      case "int32":
      case "int64":
        return this.pick([0, 1, -1, 30, 420, 2_147_483_647, -2_147_483_648]);
      case "resource.Quantity":
        return this.pick(quantities);
      case "intstr.IntOrString":
        return this.pick([0, 8080, "http", "25%", ""]);
      case "v1.Time":
        return this.pick(times);
      case "v1.FieldsV1":
        return { "f:metadata": { "f:labels": {} } };
      default:
        return undefined;
    }
  }
}
