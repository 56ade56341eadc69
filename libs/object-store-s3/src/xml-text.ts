/**
 * Reads the flat XML of S3 answers: the texts of every `<name>…</name>` in a document. Not a general parser: S3's
 * answers have no CDATA and no comments, and no attribute that matters here.
 */
export function textsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g');
  return Array.from(xml.matchAll(pattern), (match) => match[1] ?? '');
}

/** The first such text with entities resolved, or "". */
export const textOf = (xml: string, name: string): string => unescapeXml(textsOf(xml, name)[0] ?? '');

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

export function unescapeXml(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]+|#\d+|[a-z]+);/g, (whole, name: string) => {
    if (name.startsWith('#x')) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith('#')) return String.fromCodePoint(Number(name.slice(1)));
    return entities[name] ?? whole;
  });
}
