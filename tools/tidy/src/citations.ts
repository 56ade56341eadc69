/** A reference to a page, with places in it. */
export interface Citation {
  /** 1 for the first line of the text. */
  line: number;
  /** As written in the text: a name (`api.md`) or a path (`docs/filters.md`). */
  page: string;
  /** Numbers of sections: `9`, `17.3`, `1D.1`. */
  sections: string[];
  /** The text in straight quotes after the page: a heading, a table row, or bold text. */
  name: string | undefined;
}

/** A reference to a decision by its number: `ADR 0012`, `docs/adr/0012`. */
export interface CitedDecision {
  line: number;
  /** Four digits. */
  number: string;
}

/** Between two words: spaces, or a line break with the start of the next comment line. */
const gap = '(?:[ \\t]+|[ \\t]*\\r?\\n[ \\t]*(?:\\*|//|#)?[ \\t]*)';
const number = '\\d+[A-Z]?(?:\\.\\d+)*';
const many = `sections${gap}${number}(?:,?${gap}(?:(?:and|to)${gap})?${number})*`;
const sections = `(?:${gap}(${many}|section${gap}${number}|\\d+[A-Z](?:\\.\\d+)*)(?!\\w))?`;
// The text before must not make it a part of a URL, of a composed path, or of a pattern.
const page = '(?<![\\w.\\\\/{}*-])((?:\\.{1,2}/)*[A-Za-z0-9_][\\w./-]*\\.md)\\b[`)]*';
const citationPattern = new RegExp(`${page}${sections}(?:,?${gap}"([^"\\n]{1,80})")?`, 'g');
const numberPattern = new RegExp(number, 'g');
const decisionPattern = new RegExp(`\\bADRs?${gap}(\\d{4}(?:(?:,|${gap}and)${gap}\\d{4})*)|\\badr/(\\d{4})`, 'g');

/** All references to pages in `text`, in comments, messages and prose. */
export function citationsIn(text: string): Citation[] {
  return Array.from(text.matchAll(citationPattern), (match) => ({
    line: lineAt(text, match.index),
    page: match[1] ?? '',
    sections: match[2]?.match(numberPattern) ?? [],
    name: match[3],
  }));
}

/** All references to decisions (docs/adr) in `text` by number. */
export function decisionsIn(text: string): CitedDecision[] {
  return Array.from(text.matchAll(decisionPattern)).flatMap((match) =>
    ((match[1] ?? match[2] ?? '').match(/\d{4}/g) ?? []).map((decision) => ({
      line: lineAt(text, match.index),
      number: decision,
    })),
  );
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
