// Validates names, labels and keys. Each function returns the faults it finds, with Kubernetes'
// messages; an empty list means valid. Lengths are in bytes of UTF-8.

const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
const dns1035Format = "[a-z]([-a-z0-9]*[a-z0-9])?";
const wildcardFormat = `\\*\\.${subdomainFormat}`;
const qualifiedNameFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValueFormat = `(${qualifiedNameFormat})?`;
const percentFormat = "[0-9]+%";
const configMapKeyFormat = "[-._a-zA-Z0-9]+";

// The formats above are for messages; these are equivalent without nested repetition, so that hostile text cannot make matching slow.
const labelShape = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const subdomainShape = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const dns1035Shape = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const qualifiedNameShape = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const qualifiedNameText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** A DNS-1123 label: names of namespaces, hostnames of pods. */
export function validateDns1123Label(value: string): string[] {
  const faults = isLongerThan(value, 63) ? [tooManyCharacters(63)] : [];
  if (labelShape.test(value)) return faults;
  if (subdomainShape.test(value)) return [...faults, "must not contain dots"];
  const text =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...faults, formatFault(text, labelFormat, ["my-name", "123-abc"])];
}

/** A DNS-1123 subdomain: names of most objects. */
export function validateDns1123Subdomain(value: string): string[] {
  const faults = isLongerThan(value, 253) ? [tooManyCharacters(253)] : [];
  if (subdomainShape.test(value)) return faults;
  return [...faults, formatFault(subdomainText, subdomainFormat, ["example.com"])];
}

/** A DNS-1035 label: names of services. */
export function validateDns1035Label(value: string): string[] {
  const faults = isLongerThan(value, 63) ? [tooManyCharacters(63)] : [];
  if (dns1035Shape.test(value)) return faults;
  const text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...faults, formatFault(text, dns1035Format, ["my-name", "abc-123"])];
}

/** "*.example.com": hosts of an Ingress. */
export function validateWildcardDns1123Subdomain(value: string): string[] {
  const faults = isLongerThan(value, 253) ? [tooManyCharacters(253)] : [];
  if (value.startsWith("*.") && subdomainShape.test(value.slice(2))) return faults;
  const text =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...faults, formatFault(text, wildcardFormat, ["*.example.com"])];
}

/** "example.com/name" or "name": keys of labels and annotations, condition types, finalizers. */
export function validateQualifiedName(value: string): string[] {
  const parts = value.split("/");
  // Messages are built only for faults, because every label of every write is checked here.
  const nameFault = () => formatFault(qualifiedNameText, qualifiedNameFormat, ["MyName", "my.name", "123-abc"]);
  if (parts.length > 2) {
    return [
      `a valid label key ${nameFault()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  const faults = parts.length === 2 ? validatePrefix(parts[0] ?? "") : [];
  if (name === "") faults.push("name part must be non-empty");
  else if (isLongerThan(name, 63)) faults.push(`name part ${tooManyBytes(63)}`);
  if (!qualifiedNameShape.test(name)) faults.push(`name part ${nameFault()}`);
  return faults;
}

export function validateLabelValue(value: string): string[] {
  const faults = isLongerThan(value, 63) ? [tooManyBytes(63)] : [];
  if (value === "" || qualifiedNameShape.test(value)) return faults;
  const text =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...faults, formatFault(text, labelValueFormat, ["MyValue", "my_value", "12345"])];
}

/** A name that is used as one segment of a path: names of roles and bindings, for example. */
export function validatePathSegmentName(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return validatePathSegmentPrefix(value);
}

/** The prefix of such a name, for `generateName`. */
export function validatePathSegmentPrefix(value: string): string[] {
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** A port's name: at most 15 of a-z, 0-9 and single hyphens. */
export function validatePortName(value: string): string[] {
  const faults: string[] = isLongerThan(value, 15) ? [tooManyCharacters(15)] : [];
  if (!/^[-a-z0-9]+$/.test(value)) {
    faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) faults.push("must contain at least one letter (a-z)");
  if (value.includes("--")) faults.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) faults.push("must not begin or end with a hyphen");
  return faults;
}

export function validatePortNumber(value: number): string[] {
  return validateInRange(value, { min: 1, max: 65535 });
}

export function validateInRange(value: number, { min, max }: { readonly min: number; readonly max: number }): string[] {
  return value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`];
}

export function validatePercent(value: string): string[] {
  if (/^[0-9]+%$/.test(value)) return [];
  const text = "a valid percent string must be a numeric string followed by an ending '%'";
  return [formatFault(text, percentFormat, ["1%", "93%"])];
}

/** Keys of ConfigMaps and Secrets, which become file names. */
export function validateConfigMapKey(value: string): string[] {
  const faults = isLongerThan(value, 253) ? [tooManyCharacters(253)] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    const text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    faults.push(formatFault(text, configMapKeyFormat, ["key.name", "KEY_NAME", "key-name"]));
  }
  if (value === "." || value === "..") faults.push(`must not be '${value}'`);
  else if (value.startsWith("..")) faults.push("must not start with '..'");
  return faults;
}

/** For `generateName`: validates the prefix as if a suffix followed, so that a dash at its end is valid. */
export function asPrefix(validate: (value: string) => string[]): (prefix: string) => string[] {
  return (prefix) => validate(prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix);
}

function validatePrefix(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const faults = isLongerThan(prefix, 253) ? [tooManyBytes(253)] : [];
  if (!subdomainShape.test(prefix)) faults.push(formatFault(subdomainText, subdomainFormat, ["example.com"]));
  return faults.map((fault) => `prefix part ${fault}`);
}

function isLongerThan(value: string, bytes: number): boolean {
  if (value.length > bytes) return true;
  return value.length * 3 > bytes && Buffer.byteLength(value) > bytes;
}

function tooManyCharacters(count: number): string {
  return `must be no more than ${count} characters`;
}

function tooManyBytes(count: number): string {
  return `must be no more than ${count} bytes`;
}

function formatFault(text: string, format: string, examples: readonly string[]): string {
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${format}')`;
}
