import { byteSize } from '@lateen/errors';
import type { RunProgressView } from '@lateen/operations/run';
import type { MovementRow } from '@lateen/operations/volume';
import { count } from '../output/count.ts';
import { operationsText, progressText, waitText } from './progress-lines.ts';

/** The shortest interval between lines about growing numbers, because a log is read afterwards. */
export const progressEveryMs = 10_000;

/** The changes since the last call, for a log: one line each, without repeats. */
export class ChangedLines {
  readonly #said = new Map<string, { text: string; atMs: number }>();

  /** @param nowMs of a monotonic clock */
  of(view: RunProgressView, nowMs: number): string[] {
    const lines: (string | undefined)[] = [
      this.#line('phase', [view.phase, waitText(view)].filter(Boolean).join('  ')),
      this.#items(view, nowMs),
      ...view.volumes.flatMap((row) => this.#volume(row, nowMs)),
      view.operations.attempted === 0
        ? undefined
        : this.#line('operations', `operations: ${operationsText(view.operations)}`),
      ...view.warnings.map((warning) => this.#line(`warning ${warning}`, `WARNING: ${warning}`)),
    ];
    return lines.filter((line) => line !== undefined).map((line) => `${view.name}  ${line}`);
  }

  #items({ items, phase }: RunProgressView, nowMs: number): string | undefined {
    if (items.done === 0 && items.total === 0) return undefined;
    if (phase === 'InProgress') return this.#seldom('items', `items: ${progressText(items, count)}`, nowMs);
    const { done, total } = items;
    return this.#line('all items', `items: ${progressText({ done, total }, count)}`);
  }

  #volume(row: MovementRow, nowMs: number): (string | undefined)[] {
    const key = `volume ${row.kind}/${row.name}`;
    const { bytesDone: done, totalBytes: total, phase, message } = row;
    const amount = done + total === 0 ? '' : progressText({ done, total }, byteSize);
    const isBad = phase === 'Failed' || phase === 'Canceled';
    const text = [`volume ${row.volume}`, phase, isBad ? message : amount].filter(Boolean).join('  ');
    if (this.#line(`${key} phase`, phase) !== undefined) return [this.#line(key, text, nowMs)];
    return [phase === 'InProgress' ? this.#seldom(key, text, nowMs) : undefined];
  }

  /** The line, when it differs from the last one of this key. */
  #line(key: string, text: string, atMs = 0): string | undefined {
    if (this.#said.get(key)?.text === text) return undefined;
    this.#said.set(key, { text, atMs });
    return text;
  }

  /** Like `#line`, but not more often than the interval allows. */
  #seldom(key: string, text: string, nowMs: number): string | undefined {
    const before = this.#said.get(key);
    if (before !== undefined && nowMs - before.atMs < progressEveryMs) return undefined;
    return this.#line(key, text, nowMs);
  }
}
