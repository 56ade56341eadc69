import { byteSize, plainLine } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { FollowJobEvents, OperationProgress } from '@lateen/operations/repository';
import { liveLine, type TextOutput } from '../output/live-line.ts';
import { progressBar } from '../output/progress-bar.ts';

/** A terminal is redrawn often; elsewhere each update adds a line. */
const betweenMs = { terminal: 200, elsewhere: 10_000 } as const;
const barWidth = 24;

/** Shows the progress of a repository task on `output`. */
export interface TaskView extends FollowJobEvents {
  end(): void;
}

export function taskView(output: TextOutput, clock: Pick<Clock, 'now'>, label: string): TaskView {
  const line = liveLine(output);
  const pauseMs = output.isTTY === true ? betweenMs.terminal : betweenMs.elsewhere;
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    onWait: (why) => line.show(`${label}  waits: ${plainLine(why)}`),
    onProgress: (progress) => {
      if (clock.now() - shownMs < pauseMs) return;
      shownMs = clock.now();
      line.show(`${label}  ${taskProgress(progress)}`);
    },
    onRemark: (text) => {
      line.end();
      output.write(`${label}: ${plainLine(text)}\n`);
    },
    end: () => line.end(),
  };
}

/** One line: the present step, and its progress; no percentage while the total is not known. */
export function taskProgress({ doing, done, total, unit }: OperationProgress): string {
  const what = plainLine(doing);
  if (unit === 'percent') return `${what}  ${progressBar(done, 100, barWidth)}`;
  const amount = (value: number): string => (unit === 'bytes' ? byteSize(value) : value.toLocaleString('en'));
  if (total === undefined || total <= 0) return done > 0 ? `${what}  ${amount(done)}` : what;
  return `${what}  ${progressBar(done, total, barWidth)}  ${amount(done)} of ${amount(total)}`;
}
