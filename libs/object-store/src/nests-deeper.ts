/**
 * Whether tags (`xml`) or brackets (`json`) are inside each other more than `levels` deep. Parsers make an object of each
 * level, so a few megabytes of them could fill the memory; this is checked before untrusted text is parsed. Takes
 * time in proportion to the text.
 */
export function nestsDeeper(text: string, format: 'xml' | 'json', levels: number): boolean {
  return format === 'xml' ? tagsNestDeeper(text, levels) : bracketsNestDeeper(text, levels);
}

function tagsNestDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (const step of tagsOf(text)) {
    depth += step;
    if (depth > levels) return true;
  }
  return false;
}

/** 1 for each tag that opens, -1 for each that closes. */
function* tagsOf(text: string): Generator<1 | -1> {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const next = text.charAt(at + 1);
    if (next === '!' || next === '?') continue;
    if (next === '/') {
      yield -1;
      continue;
    }
    const end = text.indexOf('>', at);
    if (end < 0) return;
    if (text.charAt(end - 1) !== '/') yield 1;
  }
}

const [quote, backslash] = [0x22, 0x5c];
const openings = [0x5b, 0x7b];
const closings = [0x5d, 0x7d];

/** Strings are skipped quickly, because each object of an archive is checked. */
function bracketsNestDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = closingQuote(text, at);
      if (at < 0) return false;
    } else if (openings.includes(code)) {
      if (++depth > levels) return true;
    } else if (closings.includes(code)) depth--;
  }
  return false;
}

/** Of the string that begins at `open`; -1 where it has no end. */
function closingQuote(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let before = close - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((close - before) % 2 === 1) return close;
  }
  return -1;
}
