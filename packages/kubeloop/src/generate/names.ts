// What things made of a CRD are called: types, the resource's constant, functions, the file. Always valid names of
// TypeScript, always the same for the same CRD.

/** `CronTab` from CronTab, crontab, cron-tab: letters and digits only, each word's first letter capital. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/**
 * `cronTabs` from CronTab and crontabs: the plural, with the kind's capitals; a leading acronym becomes small as a whole,
 * except the capital that begins the next word. As the constants of built-in resources.
 */
export function camelPlural(kind: string, plural: string): string {
  const letters = plural.replaceAll("-", "");
  const singular = uncapitalised(kind.replaceAll("-", ""));
  let common = 0;
  while (common < singular.length && singular.charAt(common).toLowerCase() === letters.charAt(common)) common++;
  return singular.slice(0, common) + letters.slice(common);
}

export function uncapitalised(name: string): string {
  const capitals = /^[A-Z]*/.exec(name)?.[0].length ?? 0;
  const small = capitals > 1 && capitals < name.length ? capitals - 1 : capitals;
  return name.slice(0, small).toLowerCase() + name.slice(small);
}

/** `cron-tab` from CronTab, `api-service` from APIService. */
export function kebabCase(kind: string): string {
  return kind
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}

/** A field as an interface writes it. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Hands out each name once: a second asker gets it with a number. */
export class UniqueNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  take(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}${number}`;
    this.#taken.add(name);
    return name;
  }
}

/** What cannot be the name of a constant in a module. */
export const reservedWords: readonly string[] = [
  ...["arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete"],
  ...["do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if", "implements"],
  ...["import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public"],
  ...["return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void"],
  ...["while", "with", "yield"],
];
