/**
 * Whether tags (`xml`) or brackets (`json`) are inside each other more than `levels` deep. Parsers make an object of each
 * level, so a few megabytes of them could fill the memory; looked at before a parser is given what a stranger sent. Takes
 * time in proportion to the text.
 */
export function nestsDeeper(text: string, format: 'xml' | 'json', levels: number): boolean {
  let depth = 0;
  for (const step of format === 'xml' ? tagsOf(text) : bracketsOf(text)) {
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

function* bracketsOf(text: string): Generator<1 | -1> {
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') inString = !inString;
    else if (inString) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') yield 1;
    else if (character === ']' || character === '}') yield -1;
  }
}
