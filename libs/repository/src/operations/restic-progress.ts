import type { OperationOptions } from './repository-operation.ts';

/** `[0:05] 42.00%  3 / 7 packs` */
const pattern = /^\[\d+:[\d:]+\]\s+[\d.]+%\s+(\d+)\s*\/\s*(\d+)\s+(.*)$/;

/** Reads restic's progress lines; true for a line that was one. */
export function resticProgress(doing: string, onProgress: OperationOptions['onProgress']): (line: string) => boolean {
  return (line) => {
    const [, done, total, what = ''] = pattern.exec(line) ?? [];
    if (done === undefined) return /^\[\d+:[\d:]+\]/.test(line);
    onProgress?.({
      doing: what === '' ? doing : `${doing} ${what}`,
      done: Number(done),
      total: Number(total),
      unit: 'items',
    });
    return true;
  };
}
