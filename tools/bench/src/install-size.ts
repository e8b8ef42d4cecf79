// What installing costs: the bytes of @kubeloop/core and all its dependencies in an empty folder, both builds and all types
// included.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Measurement } from "./budget.ts";
import { repositoryRoot } from "./repository.ts";

export function measureInstallSize(): readonly Measurement[] {
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-install-size-"));
  try {
    const npm = (args: readonly string[], cwd: string) =>
      execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const packed = npm(["pack", "--json", "--pack-destination", folder], join(repositoryRoot, "packages/core"));
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true }));
    npm(
      [
        "install",
        "--no-audit",
        "--no-fund",
        "--prefer-offline",
        join(folder, filename.replace("@", "").replace("/", "-")),
      ],
      folder,
    );
    const modules = join(folder, "node_modules");
    const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
    const packages = readdirSync(modules).filter((name) => !name.startsWith(".")).length;
    return [
      {
        what: "install of @kubeloop/core with its dependencies",
        measured: bytes / 2 ** 20,
        limit: 8,
        bound: "at most",
        unit: " MB",
        detail: `${files.length} files, ${packages} folders in node_modules`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
