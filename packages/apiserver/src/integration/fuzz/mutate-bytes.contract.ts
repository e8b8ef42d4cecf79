// Bytes with something wrong about them, whatever they mean: flipped, cut, doubled, moved.
import type { Draw } from "./draw.contract.ts";

const telling: readonly number[] = [0x00, 0xff, 0x80, 0x7f, 0xc0, 0xed, 0xf5, 0x22, 0x5c, 0x7b, 0x5b, 0x2c, 0x0a, 0x12];

export function mutateBytes(draw: Draw, bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  const at = draw.below(copy.length);
  switch (draw.below(7)) {
    case 0:
      if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << draw.below(8));
      return copy;
    case 1:
      if (copy.length > 0) copy[at] = draw.from(telling);
      return copy;
    case 2:
      return copy.subarray(0, at);
    case 3:
      return copy.subarray(at);
    case 4:
      return Buffer.concat([copy.subarray(0, at), Buffer.from([draw.from(telling)]), copy.subarray(at)]);
    case 5: {
      const end = Math.min(copy.length, at + draw.below(64));
      return Buffer.concat([copy.subarray(0, end), copy.subarray(at, end), copy.subarray(end)]);
    }
    default: {
      const end = Math.min(copy.length, at + draw.below(64));
      return Buffer.concat([copy.subarray(0, at), copy.subarray(end)]);
    }
  }
}
