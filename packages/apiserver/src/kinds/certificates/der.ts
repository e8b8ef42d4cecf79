// As much of DER as it takes to find the parts of a certificate request. Throws RangeError for what is none.

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** With its tag and length. */
  readonly whole: Buffer;
}

export const sequenceTag = 0x30;
export const bitStringTag = 0x03;
export const oidTag = 0x06;

/** The values that stand one after the other. */
export function readDer(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { start, end } = boundsAt(bytes, at);
    values.push({ tag: bytes.readUInt8(at), content: bytes.subarray(start, end), whole: bytes.subarray(at, end) });
    at = end;
  }
  return values;
}

function boundsAt(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return bounded(bytes, at + 2, first);
  const size = first & 0x7f;
  if (size === 0 || size > 4) throw new RangeError("a length of no definite size");
  return bounded(bytes, at + 2 + size, bytes.readUIntBE(at + 2, size));
}

function bounded(bytes: Buffer, start: number, length: number) {
  if (start + length > bytes.length) throw new RangeError("more than there is");
  return { start, end: start + length };
}

/** "1.2.840.10045.4.3.2" */
export function readOid(content: Buffer): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (numbers.length === 0) {
      const first = Math.min(Math.floor(number / 40), 2);
      numbers.push(first, number - first * 40);
    } else {
      numbers.push(number);
    }
    number = 0;
  }
  return numbers.join(".");
}
