import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readGoStructs } from "./inputs.ts";
import { header } from "./output.ts";
import { generateGoStructs } from "./write-go-structs.ts";

const checkedIn = fileURLToPath(
  new URL("../../../packages/controllers/src/domain/generated/go-structs.ts", import.meta.url),
);

test("fields stand in Go's order; JSON names that do not follow from Go's are named, embedded structs have none", () => {
  const structs = {
    "v1.Top": [
      ["Name", "name", "string"],
      ["FSType", "fsType", "*string"],
      ["Inner", "", "v1.Inner"],
    ],
    "v1.Inner": [],
  };
  const named = { "v1.Word": "string", "v1.List": "map[v1.Word]string" };
  expect(generateGoStructs({ structs, named }).get("go-structs.ts")).toBe(
    `${header}export const goStructs: string = \`v1.Inner
v1.Top Name:string FSType=fsType:*string Inner=:v1.Inner
string v1.Word
is v1.List=map[v1.Word]string\`;
`,
  );
});

test("a field with a character of the table's own is refused", () => {
  const structs = { "v1.Top": [["A B", "ab", "string"]] };
  expect(() => generateGoStructs({ structs, named: {} })).toThrow("v1.Top must be a list of fields");
});

test("the table that is checked in is that of the structs that are kept", async () => {
  const text = generateGoStructs(await readGoStructs()).get("go-structs.ts");
  expect(await readFile(checkedIn, "utf8")).toBe(text);
});
