// Names of iSCSI targets and initiators, by the three ways to make one. Each is looked at once from end to end, however long it is.

/** Undefined for what is named in no known way. */
export function isIscsiName(name: string): boolean | undefined {
  switch (name.slice(0, 3)) {
    case "iqn":
      return isQualified(name);
    case "eui":
      return /^eui.[0-9A-Za-z]{16}$/.test(name);
    case "naa":
      return /^naa.[0-9A-Za-z]{32}$/.test(name);
    default:
      return undefined;
  }
}

const authority = /iqn\.\d{4}-\d{2}\.[0-9A-Za-z\-.]/;

/** Somewhere an authority with its date, a colon, and from there to the end nothing that separates. */
function isQualified(name: string): boolean {
  let from = name.length;
  while (from > 0 && !/[,;*&$|\s]/.test(name.charAt(from - 1))) from--;
  for (
    let colon = name.indexOf(":", from);
    colon >= 0 && colon < name.length - 1;
    colon = name.indexOf(":", colon + 1)
  ) {
    let start = colon;
    while (start > 0 && /[0-9A-Za-z\-.]/.test(name.charAt(start - 1))) start--;
    if (authority.test(name.slice(start, colon))) return true;
  }
  return false;
}
