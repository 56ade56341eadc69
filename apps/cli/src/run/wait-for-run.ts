import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { type Run, type RunNoun, RunProgressMeter, type RunProgressView, type RunSight } from '@lateen/operations/run';
import type { CommandContext } from '../command-context.ts';
import { keepDrawing } from '../output/keep-drawing.ts';
import { redrawn } from '../output/live-line.ts';
import { usesColor } from '../output/phase-color.ts';
import { ChangedLines } from './changed-lines.ts';
import { progressLines } from './progress-lines.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Ports = Pick<CommandContext, 'clock' | 'random'> & { kube: KubeApi };
/** `followBackup`, `followRestore` */
export type Follow<T extends Run> = (
  ports: Ports,
  run: T,
  onChange: (seen: RunSight<T>) => void,
  signal: AbortSignal,
) => Promise<RunSight<T>>;

interface Shown {
  /** @param isOfRun the run's own object has changed, and not a related one */
  changed(isOfRun: boolean): void;
  ended: Promise<void>;
}
type Show = (view: () => RunProgressView, ended: AbortSignal) => Shown;

/**
 * Shows a run on stderr until it has ended: a display that is redrawn on a terminal, otherwise a line for each change.
 * @returns the last state that was seen
 * @throws AppError INTERRUPTED on Ctrl-C, with the note that the run continues | BACKUP_DELETED, RESTORE_DELETED
 */
export async function waitForRun<T extends Run>(
  kube: KubeApi,
  { noun, follow }: { noun: RunNoun<T>; follow: Follow<T> },
  run: T,
  context: CommandContext,
  env: Environment,
): Promise<RunSight<T>> {
  const { clock, random, signal, stderr } = context;
  const meter = new RunProgressMeter(noun);
  let seen: RunSight<T> = { run, movements: [], events: [] };
  const view = () => meter.view(seen, clock.now(), clock.monotonicMs());
  const over = new AbortController();
  const show: Show = stderr.isTTY === true ? onTerminal(context, env) : asLines(context);
  const shown = show(view, over.signal);
  const onChange = (now: RunSight<T>) => {
    const isOfRun = now.run !== seen.run;
    seen = now;
    shown.changed(isOfRun);
  };
  try {
    return await follow({ kube, clock, random }, run, onChange, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const { name } = run.metadata;
    const { word } = noun;
    throw new AppError('INTERRUPTED', `stopped waiting; ${word} "${name}" continues`, {
      nextStep: `See its state with: lateen ${word} get ${name}; end it with: lateen ${word} cancel ${name}`,
    });
  } finally {
    over.abort(new AppError('STOPPED', 'nobody waits any more'));
    await shown.ended;
  }
}

function onTerminal({ clock, stderr }: CommandContext, env: Environment): Show {
  return (view, over) => {
    const picture = redrawn(stderr);
    const color = usesColor(stderr, env);
    const { changed, ended } = drawnAgain(() => picture.draw(progressLines(view(), { color })), clock, over);
    const kept = ended.finally(() => {
      picture.draw(progressLines(view(), { color }));
      picture.keep();
    });
    return { changed, ended: kept };
  };
}

/** Each state of the run is printed at once; changes of volumes, which may be thousands, are collected first. */
function asLines({ clock, stderr }: CommandContext): Show {
  return (view, over) => {
    const lines = new ChangedLines();
    const tell = () => {
      for (const line of lines.of(view(), clock.monotonicMs())) stderr.write(`${line}\n`);
    };
    let isToldOnce = false;
    const { changed, ended } = drawnAgain(() => isToldOnce && tell(), clock, over);
    return {
      ended,
      changed: (isOfRun) => {
        isToldOnce = true;
        if (isOfRun) tell();
        else changed();
      },
    };
  };
}

function drawnAgain(draw: () => void, clock: Clock, over: AbortSignal): { changed(): void; ended: Promise<void> } {
  const handlers: (() => void)[] = [];
  const ended = keepDrawing({ draw, onChange: (handler) => handlers.push(handler) }, clock, over);
  const changed = () => {
    for (const handler of handlers) handler();
  };
  return { changed, ended };
}
