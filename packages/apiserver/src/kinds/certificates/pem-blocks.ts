// The blocks of a PEM text, as Go finds them.

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

export function pemBlocks(text: string): readonly PemBlock[] {
  const found = text.matchAll(/(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([^]*?)-----END \1-----/g);
  return [...found].map(([, type = "", body = ""]) => {
    const lines = body.split("\n");
    const headers = lines.filter((line) => line.includes(":"));
    const base64 = lines.filter((line) => !line.includes(":")).join("");
    return { type, hasHeaders: headers.length > 0, der: Buffer.from(base64, "base64") };
  });
}
