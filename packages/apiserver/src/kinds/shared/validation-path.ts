// A field path in an object that is being validated, and the list its faults go to. Checks take a value and its path:
//
//   function checkPort(port: Port, fldPath: ValidationPath) {
//     if (port.name === "") fldPath.at("name").required();
//   }
//
// Paths are linked and are printed only when a fault is reported, so that checking a healthy object builds no strings.
import {
  duplicateFault,
  type Fault,
  type FieldPath,
  forbiddenFault,
  internalFault,
  invalidFault,
  notFoundFault,
  notSupportedFault,
  printPath,
  requiredFault,
  tooLongFault,
  tooManyFault,
} from "@kubeloop/core/api";

/** A body of three megabytes has room for a hundred thousand, and their answer would be a hundred times as long. Whose faults multiply makes no more. */
export const mostFaultsReported = 1_000;

export class ValidationPath implements FieldPath {
  readonly parent: ValidationPath | undefined;
  readonly name: string;
  readonly isSubscript: boolean;
  readonly #faults: Fault[];

  /** Use `collectFaults`, `at` and `item`. */
  constructor(
    faults: Fault[],
    name: string,
    options: { readonly parent?: ValidationPath; readonly isSubscript?: boolean },
  ) {
    this.#faults = faults;
    this.name = name;
    this.parent = options.parent;
    this.isSubscript = options.isSubscript ?? false;
  }

  /** A field, or a field of a field. */
  at(name: string, ...names: readonly string[]): ValidationPath {
    let fldPath = new ValidationPath(this.#faults, name, { parent: this });
    for (const each of names) fldPath = new ValidationPath(this.#faults, each, { parent: fldPath });
    return fldPath;
  }

  /** An item of a list, by its index, or of a map, by its key. */
  item(key: number | string): ValidationPath {
    return new ValidationPath(this.#faults, String(key), { parent: this, isSubscript: true });
  }

  /** A field of the same holder. */
  beside(name: string): ValidationPath {
    return new ValidationPath(this.#faults, name, this.parent === undefined ? {} : { parent: this.parent });
  }

  /** The object itself, which has no name: "[]". */
  get whole(): ValidationPath {
    return new ValidationPath(this.#faults, "", { isSubscript: true });
  }

  /** How many faults there are anywhere: to see whether a check found one. */
  get faultCount(): number {
    return this.#faults.length;
  }

  add(fault: Fault): void {
    this.#faults.push(fault);
  }

  invalid(value: unknown, why: string): void {
    this.#faults.push(invalidFault(this, value, why));
  }

  /** One fault for each reason. */
  invalidFor(value: unknown, reasons: readonly string[]): void {
    for (const why of reasons) this.invalid(value, why);
  }

  /** Without a word about what was found there. */
  invalidWithoutValue(why: string): void {
    this.#faults.push({ type: "FieldValueInvalid", field: printPath(this), detail: why });
  }

  /** Checking itself failed. */
  internal(why: string): void {
    this.#faults.push(internalFault(this, new Error(why)));
  }

  required(why = ""): void {
    this.#faults.push(requiredFault(this, why));
  }

  forbidden(why: string): void {
    this.#faults.push(forbiddenFault(this, why));
  }

  duplicate(value: unknown): void {
    this.#faults.push(duplicateFault(this, value));
  }

  notFound(value: unknown, why = ""): void {
    this.#faults.push({ ...notFoundFault(this, value), detail: why });
  }

  notSupported(value: unknown, supported: readonly string[]): void {
    this.#faults.push(notSupportedFault(this, value, supported));
  }

  tooLong(maxBytes: number): void {
    this.#faults.push(tooLongFault(this, maxBytes));
  }

  tooMany(actual: number, max: number): void {
    this.#faults.push(tooManyFault(this, actual, max));
  }

  print(): string {
    return printPath(this);
  }
}

/** All faults of an object; `check` begins at one of its fields: `collectFaults("spec", (spec) => …)`. */
export function collectFaults(field: string, check: (fldPath: ValidationPath) => void): readonly Fault[] {
  const faults: Fault[] = [];
  check(new ValidationPath(faults, field, {}));
  return faults;
}
