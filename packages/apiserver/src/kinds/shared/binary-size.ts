// Sizes of what is bytes to a Go server and base64 in JSON.

export const binarySize = (base64: string): number => Buffer.byteLength(base64, "base64");

/** All values together. */
export function totalSize(
  values: Readonly<Record<string, string>> | undefined,
  sizeOf: (value: string) => number = binarySize,
): number {
  let size = 0;
  for (const value of Object.values(values ?? {})) size += sizeOf(value);
  return size;
}
