import { load } from 'js-yaml';
import { describeDifference, differencesBetween } from './differences.ts';
import { header } from './render-yaml.ts';

/** Number of differences listed for one file; the others are only counted. */
const differencesShownMax = 10;

/** The differences between the files on disk and the generated ones, as lines; empty when there are none. */
export function driftOf(generated: ReadonlyMap<string, string>, onDisk: ReadonlyMap<string, string>): string[] {
  const lines: string[] = [];
  for (const [name, text] of generated) {
    const found = onDisk.get(name);
    if (found === undefined) lines.push(`${name}: is not there`);
    else if (found !== text) lines.push(...contentDrift(name, text, found));
  }
  for (const [name, text] of onDisk)
    if (!generated.has(name) && isGenerated(text)) lines.push(`${name}: belongs to no kind any more`);
  return lines;
}

/** True for a file that this tool has written, so that it may delete it. */
export function isGenerated(text: string): boolean {
  return text.startsWith(header);
}

function contentDrift(name: string, expected: string, found: string): string[] {
  const differences = differencesOfText(expected, found);
  if (differences.length === 0) return [`${name}: says the same in other words (comments, order or layout)`];
  const shown = differences.slice(0, differencesShownMax).map((difference) => `${name}: ${difference}`);
  const rest = differences.length - shown.length;
  return rest === 0 ? shown : [...shown, `${name}: and ${rest} more`];
}

function differencesOfText(expected: string, found: string): string[] {
  try {
    return differencesBetween(load(expected), load(found)).map(describeDifference);
  } catch (error) {
    return [`is not YAML: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`];
  }
}
