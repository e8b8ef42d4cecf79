// What a reflector is called: as its user says, or after the line of code that made it. No two in a process have the same
// name at the same time, so that their logs and metrics can be told apart; one that has ended gives its name back.

const holdersByName = new Map<string, number>();

/** The name, with the first number behind it that makes it one nobody has. To be given back with `releaseName`. */
export function uniqueName(wanted: string): string {
  let name = wanted;
  for (let number = 2; holdersByName.has(name); number++) name = `${wanted}#${number}`;
  holdName(name);
  return name;
}

/** Takes a name once more that was given back. */
export function holdName(name: string): void {
  holdersByName.set(name, (holdersByName.get(name) ?? 0) + 1);
}

/** Others may have it from now on. */
export function releaseName(name: string): void {
  const holders = (holdersByName.get(name) ?? 0) - 1;
  if (holders > 0) holdersByName.set(name, holders);
  else holdersByName.delete(name);
}

/**
 * File and line of the first frame of a stack that is not in the same folder as its top: `shop/orders.ts:12`. Of our sources
 * the whole informer layer counts as one folder. Undefined where there is no such frame, or the platform writes stacks otherwise.
 */
export function callSiteOf(stack: string | undefined): string | undefined {
  const frames = (stack ?? "").split("\n").flatMap(toFrame);
  const own = frames[0];
  if (own === undefined) return undefined;
  const room = roomOf(own.file);
  const caller = frames.find(({ file }) => !file.startsWith(room) && !file.startsWith("node:"));
  return caller === undefined ? undefined : `${caller.file.split("/").slice(-2).join("/")}:${caller.line}`;
}

interface Frame {
  readonly file: string;
  readonly line: string;
}

// "    at name (file:///a/b.ts:1:2)", "    at /a/b.js:1:2", "    at C:\a\b.js:1:2".
const framePattern = /^\s*at (?:.*\()?(?:file:\/\/)?(.+?):(\d+):\d+\)?$/;

function toFrame(text: string): Frame[] {
  const [, file, line] = framePattern.exec(text) ?? [];
  return file === undefined || line === undefined ? [] : [{ file: file.replaceAll("\\", "/"), line }];
}

function roomOf(file: string): string {
  const layer = file.lastIndexOf("/informer/");
  return layer >= 0 ? file.slice(0, layer + "/informer/".length) : file.slice(0, file.lastIndexOf("/") + 1);
}
