// The name of a reflector: given by its user, or derived from the line of code that created it. A new reflector never gets a
// name that another one in the process holds, so that their logs and metrics can be told apart; a reflector that has ended releases its name,
// and takes it again if it is run again.

const holdersByName = new Map<string, number>();

/** Returns the name, with a number appended if it is taken. Release it with `releaseName`. */
export function uniqueName(wanted: string): string {
  let name = wanted;
  for (let number = 2; holdersByName.has(name); number++) name = `${wanted}#${number}`;
  holdName(name);
  return name;
}

/** Takes a name again after it was released. */
export function holdName(name: string): void {
  holdersByName.set(name, (holdersByName.get(name) ?? 0) + 1);
}

/** Releases the name, so that another reflector can take it. */
export function releaseName(name: string): void {
  const holders = (holdersByName.get(name) ?? 0) - 1;
  if (holders > 0) holdersByName.set(name, holders);
  else holdersByName.delete(name);
}

/**
 * Returns file and line of the first stack frame outside the folder of the top frame: `shop/orders.ts:12`. The
 * whole informer layer counts as one folder. Undefined if there is no such frame, or the platform formats stacks differently.
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
