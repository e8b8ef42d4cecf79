// Properties that are decoded when they are first read, on objects that are plain otherwise. An object has the property as its own, enumerable and in its
// place, so that spread, Object.keys, JSON.stringify, structuredClone and comparisons see what they would see of plain data. The getters of one kind
// are shared, so that its objects have one hidden class.
//
// The encoded fields are kept as a text of Latin-1 in a private field, which nothing that walks over an object can see. A text lives in the heap
// of the collector: it takes a byte for a byte, belongs to one object, and goes when that object goes (docs/adr/0014). It is given up as soon as all
// fields were read.
//
// What is malformed is found when it is read. Then the reader gets a ProtobufError, and whoever decoded the object is told, once per object.
//
// Assigning replaces the value, unless the object is frozen. Not promised: what Object.getOwnPropertyDescriptor says.
import type { DecodeObserver } from "./decode-observer.ts";
import { ProtobufError } from "./protobuf-error.ts";

/** Reads field `index` off its encoding. */
export type ReadDeferred = (encoded: string, index: number) => unknown;

/** A class whose constructor returns its argument puts private fields on any object. It is the only way to, and the only inheritance here. */
const Itself = class {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the purpose.
    return object;
  }
} as new (
  object: object,
) => object;

const unread = Symbol("unread");

class Deferral extends Itself {
  /** Undefined when every field was read. */
  #encoded: string | undefined;
  /**
   * Who is told of malformed fields, until the first field was read; then the values, and the observer behind them. So an object that nobody has
   * looked at, as most are, is no larger because it is observed.
   */
  #values: unknown[] | DecodeObserver | undefined;

  constructor(object: object, encoded: string, observer: DecodeObserver | undefined) {
    super(object);
    this.#encoded = encoded;
    this.#values = observer;
  }

  static has(object: object): object is Deferral {
    return #encoded in object;
  }

  static get(object: Deferral, index: number, count: number, read: ReadDeferred): unknown {
    const values = object.#values;
    // What was assigned may be null or undefined.
    if (Array.isArray(values) && values[index] !== unread) return values[index];
    // Another value cannot be missing: encodings are given up when all are there.
    const value = object.#encoded === undefined ? undefined : Deferral.#read(object, index, read);
    Deferral.set(object, index, count, value);
    return value;
  }

  static #read(object: Deferral, index: number, read: ReadDeferred): unknown {
    try {
      return read(object.#encoded ?? "", index);
    } catch (error) {
      if (error instanceof ProtobufError) Deferral.#takeObserver(object)?.onMalformed(error);
      throw error;
    }
  }

  static set(object: Deferral, index: number, count: number, value: unknown): void {
    const values = Array.isArray(object.#values) ? object.#values : newValues(count, object.#values);
    object.#values = values;
    values[index] = value;
    if (values.includes(unread)) return;
    object.#encoded = undefined;
    values.length = count;
  }

  /** Returns the observer the first time only. */
  static #takeObserver(object: Deferral): DecodeObserver | undefined {
    const held = object.#values;
    if (!Array.isArray(held)) {
      object.#values = undefined;
      return held;
    }
    const observer = held.at(-1);
    held[held.length - 1] = undefined;
    return observer as DecodeObserver | undefined;
  }

  /** Whether both have the same bytes. Of an object that was read to the end nobody knows. */
  static isSame(one: Deferral, other: Deferral): boolean {
    return one.#encoded !== undefined && one.#encoded === other.#encoded;
  }

  /** How many bytes are kept. */
  static sizeOf(object: Deferral): number {
    return object.#encoded?.length ?? 0;
  }
}

function newValues(count: number, observer: DecodeObserver | undefined): unknown[] {
  const values: unknown[] = new Array(count + 1).fill(unread);
  values[count] = observer;
  return values;
}

/** Puts the encoding on an object whose properties come from `deferredProperty`. */
export function deferTo(object: object, encoded: string, observer: DecodeObserver | undefined): void {
  new Deferral(object, encoded, observer);
}

/** Whether the object, or its metadata, has or had properties that are decoded on first reading. */
export function isDeferred(object: object): boolean {
  const { metadata } = object as { readonly metadata?: unknown };
  return Deferral.has(object) || (typeof metadata === "object" && metadata !== null && Deferral.has(metadata));
}

/**
 * Whether both objects were decoded from the same bytes, as far as their deferred properties go. Costs no decoding. False if it is not known: the objects
 * may be equal all the same.
 */
export function haveSameEncoding(one: object, other: object): boolean {
  return Deferral.has(one) && Deferral.has(other) && Deferral.isSame(one, other);
}

/** Whether a property is decoded on first reading. */
export function isDeferredProperty(object: object, name: string): boolean {
  return Deferral.has(object) && Object.getOwnPropertyDescriptor(object, name)?.get !== undefined;
}

/** How many bytes an object keeps to be decoded, itself and its metadata. 0 for plain objects. */
export function deferredBytes(object: object): number {
  const own = Deferral.has(object) ? Deferral.sizeOf(object) : 0;
  const { metadata } = object as { readonly metadata?: unknown };
  const isDeferred = typeof metadata === "object" && metadata !== null && Deferral.has(metadata);
  return own + (isDeferred ? Deferral.sizeOf(metadata) : 0);
}

/**
 * Removes a property that was not read yet, and its encoding if it was the only one. For objects that nobody else has.
 * Returns false, and does nothing, if the object has no such property.
 */
export function dropDeferred(object: object, name: string): boolean {
  const property = Object.getOwnPropertyDescriptor(object, name);
  if (property?.get === undefined || property.configurable !== true || !Deferral.has(object)) return false;
  // Assigning counts as reading: when nothing is left to be read, the encoding goes.
  Reflect.set(object, name, null);
  return Reflect.deleteProperty(object, name);
}

/** The `index`th of `count` properties that are read by the same function. Made once, and defined on every object. */
export function deferredProperty(name: string, index: number, count: number, read: ReadDeferred): PropertyDescriptor {
  return {
    get(this: object) {
      return Deferral.get(holderOf(this, name), index, count, read);
    },
    set(this: object, value: unknown) {
      const own = Object.getOwnPropertyDescriptor(this, name);
      if (own?.configurable === false) throw new TypeError(`Cannot assign to read only property '${name}' of object`);
      // An object that inherits from this one gets a property of its own, as it would from a plain one.
      if (own?.get === undefined) Object.defineProperty(this, name, { value, ...ordinaryProperty });
      else Deferral.set(holderOf(this, name), index, count, value);
    },
    enumerable: true,
    configurable: true,
  };
}

const ordinaryProperty = { configurable: true, enumerable: true, writable: true };

/** The object itself, or the one it inherits from. */
function holderOf(object: object, name: string): Deferral {
  for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at)) if (Deferral.has(at)) return at;
  throw new TypeError(
    `${name} was copied to an object without its encoding: copy the value, not the property's descriptor`,
  );
}

const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");

/** Has the console print values instead of `[Getter/Setter]`. Not enumerable. */
export function printAsPlain(object: object): void {
  Object.defineProperty(object, inspectSymbol, inspectProperty);
}

const inspectProperty: PropertyDescriptor = {
  value(this: object) {
    return { ...this };
  },
  enumerable: false,
  configurable: true,
  writable: true,
};
