import type { Clock } from '@lateen/kernel';
import { failurePrefix, type OperationEnd, reportLine } from '@lateen/maintenance';
import type { OperationProgress } from '@lateen/repository/operations';

/** An engine may tell progress a thousand times a second; a log is read by people, over a network. */
const progressEveryMs = 1_000;

export interface Reporter {
  progress(progress: OperationProgress): void;
  end(end: OperationEnd): void;
}

/** Tells how far a task is, once a second at most, and its end. `write` is standard output. */
export function reporter(output: 'json' | 'text', clock: Clock, write: (text: string) => void): Reporter {
  let toldMs = Number.NEGATIVE_INFINITY;
  return {
    progress: (progress) => {
      const nowMs = clock.monotonicMs();
      if (nowMs - toldMs < progressEveryMs) return;
      toldMs = nowMs;
      write(output === 'json' ? reportLine({ report: 'progress', progress }) : `${progressText(progress)}\n`);
    },
    end: (end) => {
      write(output === 'json' ? reportLine({ report: 'end', ...end }) : `${endText(end)}\n`);
    },
  };
}

function progressText({ doing, done, total, unit }: OperationProgress): string {
  return `${doing}: ${done}${total === undefined ? '' : ` of ${total}`} ${unit}`;
}

function endText(end: OperationEnd): string {
  if (!end.succeeded) return `${failurePrefix}${end.error.message}`;
  return `${end.operation} is done: ${JSON.stringify(end.result)}`;
}
