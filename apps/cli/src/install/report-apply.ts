import type { ApplyChange, ApplyEvent } from '@lateen/manifests';
import { liveLine, type TextOutput } from '../output/live-line.ts';

const changeWidth = 'configured'.length;
/** A definition of another version differs in hundreds of fields. */
const fieldsMax = 5;

/** Prints the progress of an apply: a line for each object to stdout, and what it waits for to stderr. */
export function applyReport({ stdout, stderr }: { stdout: TextOutput; stderr: TextOutput }) {
  const counts: Record<ApplyChange, number> = { created: 0, configured: 0, unchanged: 0 };
  const missing = new Map<string, string>();
  const kept = new Set<string>();
  const line = liveLine(stderr);
  const show = (): void => {
    if (missing.size === 0) line.end();
    else line.show([...missing].map(([object, text]) => `waiting for ${object}${text}`).join('; '));
  };
  return {
    onEvent: (event: ApplyEvent): void => {
      if (event.kind === 'applied') {
        counts[event.change] += 1;
        if (event.keepsPods) kept.add(event.object);
        stdout.write(`${event.change.padEnd(changeWidth)}  ${event.object}${inBrackets(event.fields)}\n`);
        return;
      }
      if (event.kind === 'ready') {
        missing.delete(event.object);
        line.end();
        stdout.write(`${'ready'.padEnd(changeWidth)}  ${event.object}\n`);
      } else missing.set(event.object, event.missing === undefined ? '' : `: ${event.missing}`);
      show();
    },
    end: (): void => line.end(),
    /** Titles of workloads whose pods keep running unchanged. */
    kept: (): ReadonlySet<string> => kept,
    summary: (): string => `${counts.created} created, ${counts.configured} configured, ${counts.unchanged} unchanged`,
  };
}

function inBrackets(fields: readonly string[]): string {
  const more = fields.length - fieldsMax;
  const shown = fields.slice(0, fieldsMax).join(', ');
  return fields.length === 0 ? '' : `  (${shown}${more > 0 ? ` and ${more} more fields` : ''})`;
}
