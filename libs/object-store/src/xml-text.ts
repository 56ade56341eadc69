/**
 * Reads the flat XML of object stores: the texts of every `<name>…</name>` in a document. Not a general parser: their
 * answers have no CDATA and no comments, and no attribute that matters here. Takes time in proportion to the document,
 * whatever is in it, and resolves no entities but those of XML itself.
 */
export function textsOf(xml: string, name: string): string[] {
  const [open, close] = [`<${name}`, `</${name}>`];
  const found: string[] = [];
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    at += open.length;
    if (!/[\s>]/.test(xml.charAt(at))) continue;
    const begin = xml.indexOf('>', at) + 1;
    const end = begin === 0 ? -1 : xml.indexOf(close, begin);
    if (end < 0) break;
    found.push(xml.slice(begin, end));
    at = end;
  }
  return found;
}

/** The first such text with entities resolved, or "". */
export const textOf = (xml: string, name: string): string => unescapeXml(textsOf(xml, name)[0] ?? '');

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const codePointMax = 0x10ffff;

export function unescapeXml(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]{1,8}|#\d{1,8}|[a-z]{1,8});/g, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= codePointMax ? String.fromCodePoint(code) : whole;
  });
}
