/**
 * A glob for `deployments.apps` as Velero understands it: `*` and `?` stop at dots, `**` does not, `[a-z]`, `[!a]` and `{a,b}`.
 * @throws for a pattern that is not closed
 */
export function resourceGlob(pattern: string): RegExp {
  let source = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '\\') {
      at += 1;
      source += literal(pattern.charAt(at));
    } else if (character === '*') {
      const isAcross = pattern.charAt(at + 1) === '*';
      source += isAcross ? '.*' : '[^.]*';
      if (isAcross) at += 1;
    } else if (character === '?') source += '[^.]';
    else if (character === '[') {
      const end = pattern.indexOf(']', at + 1);
      if (end < 0) throw new Error('a bracket is not closed');
      source += classOf(pattern.slice(at + 1, end));
      at = end;
    } else if (character === '{') {
      depth += 1;
      source += '(?:';
    } else if (character === '}' && depth > 0) {
      depth -= 1;
      source += ')';
    } else source += character === ',' && depth > 0 ? '|' : literal(character);
  }
  if (depth > 0) throw new Error('a brace is not closed');
  return new RegExp(`^${source}$`, 'su');
}

const literal = (character: string): string => character.replace(/[$()*+./?[\\\]^{|}]/, '\\$&');

function classOf(content: string): string {
  const isNegated = content.startsWith('!');
  const members = (isNegated ? content.slice(1) : content).replace(/[\\\]^]/g, '\\$&');
  if (members === '') throw new Error('a bracket is empty');
  return `[${isNegated ? '^' : ''}${members}]`;
}
