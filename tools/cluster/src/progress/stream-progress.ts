import { age, type Clock } from '@lateen/kernel';
import type { Progress, ProgressStep } from './progress.ts';

/** The part of a terminal or file that progress is written to. */
export interface ProgressStream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Often enough to look alive, and rarely enough not to slow down a compiler. */
const redrawIntervalMs = 500;
/** Without a terminal a line now and then shows that a long step is running; more would fill a CI log. */
const aliveIntervalMs = 30_000;

interface RunningStep {
  label: string;
  text: string;
  startedMs: number;
}

/**
 * Progress for users. On a terminal the last line is redrawn: the running steps and how long they have taken. Elsewhere plain lines only.
 * In both cases every ended step leaves one line with its duration.
 */
export function streamProgress(stream: ProgressStream, clock: Clock): Progress {
  const running = new Set<RunningStep>();
  const live = stream.isTTY === true;

  const clearLine = (): void => {
    if (live) stream.write('\r\x1b[2K');
  };
  const drawLine = (): void => {
    if (live && running.size > 0) stream.write(cut(liveLine([...running], clock.monotonicMs()), stream.columns ?? 80));
  };
  const print = (line: string): void => {
    clearLine();
    stream.write(`${line}\n`);
    drawLine();
  };
  /** One loop for all steps; it ends with the last of them, so it never keeps the process running. */
  const tick = async (idle: AbortSignal): Promise<void> => {
    for (;;) {
      await clock.sleep(live ? redrawIntervalMs : aliveIntervalMs, idle).catch(() => {});
      if (idle.aborted) return;
      clearLine();
      if (live) drawLine();
      else for (const step of running) stream.write(`… ${stepText(step, clock.monotonicMs())}\n`);
    }
  };
  let idle = new AbortController();

  const begin = (label: string): ProgressStep => {
    const step: RunningStep = { label, text: '', startedMs: clock.monotonicMs() };
    if (running.size === 0) {
      idle = new AbortController();
      void tick(idle.signal);
    }
    running.add(step);
    clearLine();
    drawLine();
    const end = (mark: string, text: string): void => {
      if (!running.delete(step)) return;
      print(`${mark} ${label}${text === '' ? '' : `: ${text}`} (${age(clock.monotonicMs() - step.startedMs)})`);
      if (running.size === 0) idle.abort();
    };
    return {
      update: (text) => {
        step.text = text;
      },
      done: (text) => end('✓', text ?? ''),
      failed: () => end('✗', step.text),
    };
  };
  return { begin, note: print };
}

function stepText(step: RunningStep, nowMs: number): string {
  const text = step.text === '' ? '' : `: ${step.text}`;
  return `${step.label}${text} (${age(nowMs - step.startedMs)})`;
}

function liveLine(steps: readonly RunningStep[], nowMs: number): string {
  return `… ${steps.map((step) => stepText(step, nowMs)).join(', ')}`;
}

/** A line that wraps could not be cleared again. */
function cut(line: string, columns: number): string {
  return line.length < columns ? line : `${line.slice(0, Math.max(columns - 2, 1))}…`;
}
