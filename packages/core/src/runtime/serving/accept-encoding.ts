// Decides whether an Accept-Encoding header accepts one coding (RFC 9110): the header names it, or "*", with a weight above zero.

export function accepts(header: string | undefined, coding: string): boolean {
  if (header === undefined) return false;
  const weights = new Map(header.toLowerCase().split(",").map(parseWeight));
  return (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
}

function parseWeight(part: string): readonly [coding: string, weight: number] {
  const [coding = "", ...parameters] = part.split(";").map((each) => each.trim());
  const weight = parameters.find((each) => each.startsWith("q="));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
