import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  type Movement,
  type MovementRow,
  movementRow,
  timeMs,
  type WatchedMovements,
  watchMovements,
} from '@lateen/operations/volume';
import type { CommandContext } from '../command-context.ts';
import { keepDrawing } from '../output/keep-drawing.ts';
import { redrawn } from '../output/live-line.ts';
import { printObjects, type TableFormat } from '../output/print-object.ts';
import { progressLine } from '../output/progress-line.ts';

export interface WatchListOptions {
  format: TableFormat;
  namespace: string;
  labelSelector: string | undefined;
  isSelected(movement: Movement): boolean;
  table(movements: readonly Movement[]): string[];
}

/** Shows movements and their changes until the user ends it: a display on a terminal, lines or objects elsewhere. */
export async function watchList(kube: KubeApi, context: CommandContext, options: WatchListOptions): Promise<void> {
  const { clock, random, signal, stdout } = context;
  const { namespace, labelSelector, format } = options;
  const movements = watchMovements({ kube, clock, random, namespace, labelSelector });
  // Ends with Ctrl-C or with an error of ours, whichever comes first.
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const running = movements.run(until);
  try {
    const isTable = format === 'table' || format === 'wide';
    if (isTable && stdout.isTTY === true) await drawAgainAndAgain(movements, context, options);
    else {
      const show = isTable ? lineOfEach(context) : objectOfEach(context, format);
      movements.onChange(({ type, object }) => {
        if (type !== 'deleted' && options.isSelected(object)) show(object);
      });
      await running;
    }
  } finally {
    stop.abort(new AppError('STOPPED', 'nobody watches any more'));
    await running;
  }
}

async function drawAgainAndAgain(
  movements: WatchedMovements,
  { clock, signal, stdout }: CommandContext,
  { isSelected, table }: WatchListOptions,
): Promise<void> {
  const view = redrawn(stdout);
  const picture = () => table(movements.list().filter(isSelected));
  try {
    const onChange = (changed: () => void) => movements.onChange(changed);
    await keepDrawing({ draw: () => view.draw(picture()), onChange }, clock, signal);
  } finally {
    view.clear();
    // The last state stays on the terminal.
    stdout.write(`${picture().join('\n')}\n`);
  }
}

/** One line for each visible change. */
function lineOfEach({ clock, stdout }: CommandContext): (movement: Movement) => void {
  const last = new Map<string, string>();
  return (movement) => {
    const line = lineOf(movement, movementRow(movement, clock.now()), clock.now());
    const uid = movement.metadata.uid ?? '';
    if (last.get(uid) === line) return;
    last.set(uid, line);
    stdout.write(`${line}\n`);
  };
}

function lineOf(movement: Movement, row: MovementRow, nowMs: number): string {
  const attempt = row.attempts > 1 ? ` (attempt ${row.attempts})` : '';
  const line = progressLine({
    name: `${row.kind} ${row.name}  ${row.volume}`,
    phase: `${row.phase}${attempt}`,
    bytesDone: row.bytesDone,
    totalBytes: row.totalBytes,
    filesPerSecond: row.throughput.filesPerSecond,
    elapsedMs: Math.max(
      (timeMs(movement.status?.completionTimestamp) ?? nowMs) - (timeMs(movement.status?.startTimestamp) ?? nowMs),
      0,
    ),
  });
  return row.message === '' ? line : `${line}  ${row.message.replace(/\s+/g, ' ')}`;
}

function objectOfEach({ stdout }: CommandContext, format: Exclude<TableFormat, 'table' | 'wide'>) {
  const seen = new Set<string>();
  return (movement: Movement): void => {
    const uid = movement.metadata.uid ?? '';
    if (format === 'name' && seen.has(uid)) return;
    seen.add(uid);
    stdout.write(`${format === 'yaml' ? '---\n' : ''}${printObjects([movement], format, false)}`);
  };
}
