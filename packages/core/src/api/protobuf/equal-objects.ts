// Compares two objects, each plain or decoded when it is looked at. Where both still have their bytes, the bytes are compared, so that a comparison of
// whole caches, as after each list, decodes nothing.
import { deepEqual } from "../../base/index.ts";
import { haveSameEncoding, isDeferredProperty } from "./deferred.ts";

/** As `deepEqual`, of objects that nobody has changed since they were decoded. Throws a ProtobufError where bytes differ and are malformed. */
export function equalObjects(one: object, other: object): boolean {
  return haveSameEncoding(one, other) ? haveSameRest(one, other) : deepEqual(one, other);
}

/** Compares the properties that are not decoded on first reading. */
function haveSameRest(one: object, other: object): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    if (!Object.hasOwn(other, name)) return false;
    if (isDeferredProperty(one, name) && isDeferredProperty(other, name)) return true;
    const [value, otherValue] = [Reflect.get(one, name), Reflect.get(other, name)];
    return isObject(value) && isObject(otherValue) ? equalObjects(value, otherValue) : Object.is(value, otherValue);
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
