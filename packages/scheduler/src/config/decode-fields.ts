// Reads the fields of a configuration and collects what is wrong with them, each with its path, so that a user sees all faults at once.
export class FieldReader {
  readonly #faults: string[];
  readonly #path: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  private constructor(value: unknown, path: string, faults: string[]) {
    this.#path = path;
    this.#faults = faults;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject && value !== undefined) faults.push(`${path === "" ? "the configuration" : path}: must be an object`);
    this.#fields = isObject ? (value as Readonly<Record<string, unknown>>) : {};
  }

  static of(value: unknown, faults: string[]): FieldReader {
    return new FieldReader(value, "", faults);
  }

  at(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }

  fault(name: string, message: string): void {
    this.#faults.push(`${this.at(name)}: ${message}`);
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  /** Fields with other names are faults. */
  only(names: readonly string[]): void {
    for (const name of Object.keys(this.#fields)) if (!names.includes(name)) this.fault(name, "unknown field");
  }

  object(name: string): FieldReader {
    return new FieldReader(this.#fields[name] ?? undefined, this.at(name), this.#faults);
  }

  list(name: string): readonly FieldReader[] {
    const value = this.#fields[name] ?? [];
    if (!Array.isArray(value)) {
      this.fault(name, "must be a list");
      return [];
    }
    return value.map((each: unknown, index) => new FieldReader(each, `${this.at(name)}[${index}]`, this.#faults));
  }

  text(name: string): string | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    this.fault(name, "must be text");
    return undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value === undefined || typeof value === "boolean") return value;
    this.fault(name, "must be true or false");
    return undefined;
  }

  number(name: string): number | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
    this.fault(name, "must be a number");
    return undefined;
  }

  /** A whole number within the bounds. */
  integer(name: string, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    this.fault(name, `Invalid value: ${JSON.stringify(value)}: not in valid range [${min}-${max}]`);
    return undefined;
  }

  /** A duration such as `15s`, `1m30s` or `500ms`, in milliseconds. */
  durationMs(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
    if (parts.length > 0 && parts.map(([part]) => part).join("") === text) {
      return parts.reduce((sum, [, amount = "0", unit = "s"]) => sum + Number(amount) * (unitMs[unit] ?? 0), 0);
    }
    this.fault(name, `Invalid value: ${JSON.stringify(text)}: must be a duration such as "15s"`);
    return undefined;
  }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
