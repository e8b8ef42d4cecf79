import { expect, test } from "vitest";
import { kubernetesVersion } from "./version.ts";

test("the parts of the version agree", () => {
  const { major, minor, gitVersion } = kubernetesVersion;
  expect(gitVersion).toMatch(new RegExp(`^v${major}\\.${minor}\\.\\d+$`));
});

test("the platform is written as Go writes it", () => {
  expect(kubernetesVersion.platform).not.toContain("x64");
  expect(kubernetesVersion.platform).toContain("/");
});
