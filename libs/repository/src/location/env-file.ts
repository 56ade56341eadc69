/**
 * Reads `NAME=value` lines, as the Secrets of Azure hold them: `export` before a name, quotes around a value and lines
 * of comment (`#`) are allowed. Other lines mean nothing. A name that comes twice has its last value.
 */
export function parseEnvFile(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const raw of text.split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(raw) ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, withoutQuotes(value));
  }
  return variables;
}

const withoutQuotes = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
