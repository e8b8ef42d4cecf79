// What stands in front of bytes that are a field: the field's tag, of one byte here, and their length.

/** Tag and length, to be followed by that many bytes. */
export function delimiter(tag: number, length: number): Uint8Array {
  const bytes = new Uint8Array(1 + lengthSize(length));
  bytes[0] = tag;
  let rest = length;
  let i = 1;
  for (; rest > 0x7f; rest >>>= 7) bytes[i++] = (rest & 0x7f) | 0x80;
  bytes[i] = rest;
  return bytes;
}

/** Of the bytes with what stands in front of them. */
export function delimitedSize(length: number): number {
  return 1 + lengthSize(length) + length;
}

function lengthSize(length: number): number {
  return length < 0x80 ? 1 : Math.ceil((32 - Math.clz32(length)) / 7);
}
