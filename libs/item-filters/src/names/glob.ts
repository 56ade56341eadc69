/** True for names that match. */
export type NameTest = (name: string) => boolean;

/** One element of a pattern: a character, any character, any number of characters, or a character class. */
type Place = number | typeof any | typeof many | CharacterClass;
const any = -1;
const many = -2;
type CharacterClass = readonly (readonly [from: number, to: number])[];

/** Whether a name contains a wildcard character. */
export const isGlob = (name: string): boolean => /[*?[]/.test(name);

/**
 * Why a pattern is invalid (Velero's texts); undefined when it is valid. `*`, `?`, `[abc]` and `[a-z]` are supported, and no other forms of
 * globs.
 */
export function globProblem(pattern: string): string | undefined {
  if (/[|()!{},]/.test(pattern)) return 'wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,';
  if (pattern.includes('**')) return 'wildcard pattern contains consecutive asterisks (only single * allowed)';
  if (pattern.includes('[]')) return "wildcard pattern contains empty bracket pattern '[]'";
  const outside = pattern.replace(/\[[^[\]]+\]/g, '');
  if (outside.includes('[')) return "wildcard pattern contains unclosed bracket '['";
  return outside.includes(']') ? "wildcard pattern contains unmatched closing bracket ']'" : undefined;
}

/** Compiles a pattern once for many names. A bracket that is not closed is a literal character. */
export function globTest(pattern: string): NameTest {
  if (pattern === '*') return () => true;
  if (!isGlob(pattern)) return (name) => name === pattern;
  const places = placesOf(pattern);
  return (name) => fits(places, name);
}

function placesOf(pattern: string): Place[] {
  const places: Place[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const end = character === '[' ? pattern.indexOf(']', at + 2) : -1;
    if (character === '*') places.push(many);
    else if (character === '?') places.push(any);
    else if (end > 0) {
      places.push(classOf(pattern.slice(at + 1, end)));
      at = end;
    } else places.push(pattern.charCodeAt(at));
  }
  return places;
}

function classOf(content: string): CharacterClass {
  const ranges: [number, number][] = [];
  for (let at = 0; at < content.length; at += 1) {
    const from = content.charCodeAt(at);
    const isRange = content.charAt(at + 1) === '-' && at + 2 < content.length;
    ranges.push([from, isRange ? content.charCodeAt(at + 2) : from]);
    if (isRange) at += 2;
  }
  return ranges;
}

/** Backtracks only to the last `*`, so that a pattern with many of them costs no more than pattern length times name length. */
function fits(places: readonly Place[], name: string): boolean {
  let place = 0;
  let at = 0;
  let lastMany = -1;
  let resumeAt = 0;
  while (at < name.length) {
    const expected = places[place];
    if (expected === many) {
      lastMany = place;
      resumeAt = at;
      place += 1;
    } else if (expected !== undefined && accepts(expected, name.charCodeAt(at))) {
      place += 1;
      at += 1;
    } else if (lastMany >= 0) {
      resumeAt += 1;
      at = resumeAt;
      place = lastMany + 1;
    } else return false;
  }
  while (places[place] === many) place += 1;
  return place === places.length;
}

function accepts(expected: Place, character: number): boolean {
  if (typeof expected === 'number') return expected === any || expected === character;
  return expected.some(([from, to]) => character >= from && character <= to);
}
