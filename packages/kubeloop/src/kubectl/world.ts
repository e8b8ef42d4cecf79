// What the commands that stand for kubectl's use of the world outside, and the world of a Node process.
import { text } from "node:stream/consumers";
import { type Clock, systemClock } from "@kubeloop/core/base";
import { type Host, nodeHost } from "@kubeloop/core/client";

export interface KubectlWorld {
  /** Environment, folder and files. */
  readonly host: Host;
  readonly clock: Clock;
  print(text: string): void;
  complain(text: string): void;
  /** All of standard input. */
  readStdin(): Promise<string>;
}

export function nodeWorld(io: Pick<KubectlWorld, "print" | "complain">): KubectlWorld {
  const { print, complain } = io;
  return { host: nodeHost, clock: systemClock, print, complain, readStdin: async () => await text(process.stdin) };
}

/** For commands that only say what they can. */
export const noWorld: KubectlWorld = nodeWorld({ print: () => {}, complain: () => {} });
