import { expect, test } from "vitest";
import { controllerDocuments } from "./controller-documents.ts";
import { readFiles } from "./repository.ts";

const documents = await controllerDocuments();

test.each(documents)("$path is current: npm run controller-documents writes it", ({ path, text }) => {
  expect(readFiles([path])).toEqual([{ path, text }]);
});
