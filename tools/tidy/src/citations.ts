/** One page that a text names, with the places in it. */
export interface Citation {
  /** 1 for the first line of the text. */
  line: number;
  /** As the text has it: a name (`api.md`) or a path (`docs/filters.md`). */
  page: string;
  /** Numbers of sections: `9`, `17.3`, `1D.1`. */
  sections: string[];
  /** What follows the page in straight quotes: a heading, a row of a table, or what is bold there. */
  name: string | undefined;
}

/** A decision that a text names by its number: `ADR 0012`, `docs/adr/0012`. */
export interface CitedDecision {
  line: number;
  /** Four digits. */
  number: string;
}

/** Between two words: spaces, or the end of a line together with what begins the next line of a comment. */
const gap = '(?:[ \\t]+|[ \\t]*\\r?\\n[ \\t]*(?:\\*|//|#)?[ \\t]*)';
const number = '\\d+[A-Z]?(?:\\.\\d+)*';
const many = `sections${gap}${number}(?:,?${gap}(?:(?:and|to)${gap})?${number})*`;
const sections = `(?:${gap}(${many}|section${gap}${number}|\\d+[A-Z](?:\\.\\d+)*)(?!\\w))?`;
// What stands before must not make it a part of a URL, of a path that is put together, or of a pattern.
const page = '(?<![\\w.\\\\/{}*-])((?:\\.{1,2}/)*[A-Za-z0-9_][\\w./-]*\\.md)\\b[`)]*';
const citationPattern = new RegExp(`${page}${sections}(?:,?${gap}"([^"\\n]{1,80})")?`, 'g');
const numberPattern = new RegExp(number, 'g');
const decisionPattern = new RegExp(`\\bADRs?${gap}(\\d{4}(?:(?:,|${gap}and)${gap}\\d{4})*)|\\badr/(\\d{4})`, 'g');

/** Every page that `text` names, in comments, messages and prose alike. */
export function citationsIn(text: string): Citation[] {
  return Array.from(text.matchAll(citationPattern), (match) => ({
    line: lineAt(text, match.index),
    page: match[1] ?? '',
    sections: match[2]?.match(numberPattern) ?? [],
    name: match[3],
  }));
}

/** Every decision (docs/adr) that `text` names by number. */
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
