// The raw floor: the least that a program on Node does to read a list or a watch, with undici and JSON.parse and nothing
// else. What our decoders are measured against; also the machinery that runs both in turn.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock } from "@kubeloop/core/base";
import { request } from "undici";
import { median } from "./budget.ts";

/** The whole answer, then one parse. Tells how long the parse took: nothing else ran meanwhile. */
export async function readListWhole(url: string): Promise<{ items: readonly unknown[]; parseMs: number }> {
  const { body } = await request(url);
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const start = systemClock.monotonic();
  const { items } = JSON.parse(text) as { items: unknown[] };
  return { items, parseMs: systemClock.monotonic() - start };
}

/** Line by line. Gives the number of events. */
export async function readWatchLines(url: string): Promise<number> {
  const { body } = await request(url);
  body.setEncoding("utf8");
  let count = 0;
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if ((JSON.parse(line) as { type: string }).type !== "ERROR") count++;
  }
  return count;
}

/** What one run of one reader in a process of its own printed. */
export interface DecodingCost {
  readonly count: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly stallMs: number;
  readonly peakMb: number;
}

export interface Round {
  readonly ours: DecodingCost;
  readonly floor: DecodingCost;
}

/** Ours and the floor in turns, each run in a new process, against one server in a third. */
export async function runInTurns(program: string, path: string, rounds: number): Promise<readonly Round[]> {
  return await serveDuring("raw-floor-server.js", (address) => {
    const run = (reader: "ours" | "floor") => {
      const output = execFileSync(process.execPath, [siblingOf(program), reader, `${address}${path}`], {
        encoding: "utf8",
      });
      return JSON.parse(output) as DecodingCost;
    };
    return Array.from({ length: rounds }, () => ({ floor: run("floor"), ours: run("ours") }));
  });
}

/** Runs a server, a program here that prints its port, for as long as something is measured. */
export async function serveDuring<T>(program: string, measure: (address: string) => T): Promise<T> {
  const server = spawn(process.execPath, [siblingOf(program)], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    return measure(`http://127.0.0.1:${await firstLine(server)}`);
  } finally {
    server.kill();
    await once(server, "exit");
  }
}

/** The path of a program of this bench. */
export function siblingOf(program: string): string {
  return fileURLToPath(new URL(program, import.meta.url));
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server's output is not a pipe");
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error("the server ended before it said its port");
}

/** The median of each round's own ratio: what else the machine does weighs on both sides of a round. */
export function medianRatio(rounds: readonly Round[], cost: keyof DecodingCost): number {
  return median(rounds.map(({ ours, floor }) => ours[cost] / floor[cost]));
}

/** Both sides' medians of one number, and their best rounds: where the two tell different stories, the machine was busy. */
export function printSides(rounds: readonly Round[], cost: keyof DecodingCost, unit: string): string {
  const side = (name: keyof Round, pick: (values: readonly number[]) => number) =>
    pick(rounds.map((round) => round[name][cost])).toFixed(0);
  const best = (values: readonly number[]) => Math.min(...values);
  const medians = `${side("ours", median)} of ${side("floor", median)} ${unit}, median of ${rounds.length}`;
  return `${medians}; best ${side("ours", best)} of ${side("floor", best)}`;
}
