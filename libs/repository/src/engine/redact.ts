/** Shorter texts would match by chance and redact half of a message; they are too weak to be secrets. */
const secretLengthMin = 4;

/** Replaces every occurrence of each secret; the last protection before an engine's output reaches a status or a log. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= secretLengthMin)
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
}
