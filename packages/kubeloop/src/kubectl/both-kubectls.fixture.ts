// One `kubeloop up` in a folder, our commands and the real kubectl 1.36 on it, and whether both print the same bytes.
//
// What is normalised: both programs look at different moments, so where the texts differ, ages (and with them the spaces around) are
// made equal and compared again.
import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { deferred, systemClock } from "@kubeloop/core/base";
import { findBinaries, pathOf } from "@kubeloop/real-cluster";
import { expect } from "vitest";
import { up } from "../up/up.ts";
import { parseUpOptions } from "../up/up-options.ts";
import { runIn, type Said } from "./cluster-and-folder.fixture.ts";

export interface BothKubectls extends AsyncDisposable {
  readonly folder: string;
  theirs(args: readonly string[], stdin?: string): Promise<Said>;
  ours(args: readonly string[], stdin?: string): Promise<Said>;
  expectSame(args: readonly string[], stdin?: string): Promise<void>;
  /** Objects in a file of the folder, as documents. */
  write(file: string, objects: readonly object[]): Promise<void>;
}

/** The pattern tells texts in which ages are made equal from those that have none. */
export async function openBothKubectls(aged: RegExp): Promise<BothKubectls> {
  const { signal } = new AbortController();
  const stop = new AbortController();
  const program = pathOf(await findBinaries(["kubectl"], {}, signal), "kubectl");
  const folder = await mkdtemp(join(tmpdir(), "kubeloop-same-"));
  const ready = deferred();
  const options = parseUpOptions(["--json", "--port=0"]);
  const io = { folder, clock: systemClock, host: new EventEmitter(), print: () => ready.resolve(), complain: () => {} };
  const ended = up(options, io, stop.signal);
  await Promise.race([ready.promise, ended]);

  const theirs = async (args: readonly string[], stdin = ""): Promise<Said> => {
    const env = { ...process.env, KUBECONFIG: join(folder, ".kubeloop/kubeconfig") };
    const child = spawn(program, args, { cwd: folder, env, stdio: "pipe" });
    const code = new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? -1)));
    child.stdin.end(stdin);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  };
  const ours = (args: readonly string[], stdin = "") => runIn(folder, args, stdin, signal);
  return {
    folder,
    theirs,
    ours,
    async expectSame(args, stdin) {
      // A cluster lives: leases are renewed, and events come, between one look and the other. So there are several looks.
      for (let left = 5; ; left--) {
        const [wanted, said] = [await theirs(args, stdin), await ours(args, stdin)];
        if (JSON.stringify(said) === JSON.stringify(wanted)) return;
        const [plainSaid, plainWanted] = [withoutAges(said, aged), withoutAges(wanted, aged)];
        if (left > 1 && JSON.stringify(plainSaid) !== JSON.stringify(plainWanted)) continue;
        return expect({ args, ...plainSaid }).toEqual({ args, ...plainWanted });
      }
    },
    async write(file, objects) {
      await writeFile(join(folder, file), objects.map((object) => `${JSON.stringify(object)}\n`).join("---\n"));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Every number with a unit of time, and the spaces beside it and in headers, whose width follows it. */
function withoutAges({ code, out, err }: Said, aged: RegExp): Said {
  const ageless = out.replaceAll(/\b(\d+[ydhms])+\b/g, "<age>").replaceAll(/ {2,}/g, "  ");
  return { code, out: aged.test(out) ? ageless : out, err };
}
