// The lock file names the native binaries of every platform, also of those that the registry at hand does not have: npm
// leaves such packages out when it writes the lock, and then refuses to install from it. What is known about a binary that
// cannot be asked for, its version and platform, stands in its parent's manifest and in its own name.

interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** `place: name@version` of each optional dependency that has no entry of its own. */
export function missingFromLock(lock: LockFile): readonly string[] {
  return findMissing(lock).map(({ parent, name, version }) => `${parent}: ${name}@${version}`);
}

/** The lock file with an entry for each of them. Entries stay sorted by place, as npm keeps them. */
export function completeLock(lock: LockFile): LockFile {
  const added = findMissing(lock).map(({ name, version, isDev }) => {
    const entry = { version, ...platformOf(name), ...(isDev ? { dev: true } : {}), optional: true };
    return [`node_modules/${name}`, entry] as const;
  });
  const entries = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(entries) };
}

function findMissing({ packages }: LockFile) {
  return Object.entries(packages).flatMap(([parent, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !(`node_modules/${name}` in packages) && !(`${parent}/node_modules/${name}` in packages))
      .map(([name, version]) => ({ parent, name, version, isDev: entry.dev === true })),
  );
}

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const processors = ["arm64", "arm", "ia32", "loong64", "ppc64", "riscv64", "s390x", "x64"];

/** Which platform a binary is for, by its name: `@biomejs/cli-linux-x64-musl`. */
export function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> {
  if (name.endsWith("-wasm32-wasi")) return { cpu: ["wasm32"] };
  const words = name.split("-");
  const system = systems.find((one) => words.includes(one));
  const processor = processors.find((one) => words.includes(one));
  if (system === undefined || processor === undefined) throw new Error(`${name} does not tell its platform`);
  const isMusl = /-musl(eabihf)?$/.test(name);
  const isGlibc = /-gnu(eabihf)?$/.test(name);
  const libc = isMusl ? { libc: ["musl"] } : isGlibc ? { libc: ["glibc"] } : {};
  return { cpu: [processor], os: [system], ...(system === "linux" ? libc : {}) };
}
