/** Shorter texts would blot out half of a message by chance, and are no secrets worth the name. */
const secretLengthMin = 4;

/** Replaces every occurrence of each secret; the last line of defence before an engine's words reach a status or a log. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= secretLengthMin)
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
}
