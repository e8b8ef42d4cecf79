// Ids of objects, as version 4 UUIDs, from the server's own Random: a run repeats with all its ids.
import type { Random } from "@kubeloop/core/base";

export function newUid(random: Random): string {
  let hex = "";
  for (let i = 0; i < 8; i++) {
    hex += Math.floor(random.next() * 0x1_0000)
      .toString(16)
      .padStart(4, "0");
  }
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) & 3] ?? "8";
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
