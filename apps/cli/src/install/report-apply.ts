import type { ApplyChange, ApplyEvent } from '@lateen/manifests';
import { liveLine, type TextOutput } from '../output/live-line.ts';

const changeWidth = 'configured'.length;

/** Prints what applying does: a line for each object to stdout, what is waited for to stderr. */
export function applyReport({ stdout, stderr }: { stdout: TextOutput; stderr: TextOutput }) {
  const counts: Record<ApplyChange, number> = { created: 0, configured: 0, unchanged: 0 };
  const missing = new Map<string, string>();
  const line = liveLine(stderr);
  const show = (): void => {
    if (missing.size === 0) line.end();
    else line.show([...missing].map(([object, text]) => `waiting for ${object}${text}`).join('; '));
  };
  return {
    onEvent: (event: ApplyEvent): void => {
      if (event.kind === 'applied') {
        counts[event.change] += 1;
        const fields = event.fields.length === 0 ? '' : `  (${event.fields.join(', ')})`;
        stdout.write(`${event.change.padEnd(changeWidth)}  ${event.object}${fields}\n`);
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
    summary: (): string => `${counts.created} created, ${counts.configured} configured, ${counts.unchanged} unchanged`,
  };
}
