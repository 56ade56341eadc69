import type { Backup } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import {
  BackupProgressMeter,
  type BackupProgressView,
  type BackupSight,
  followBackup,
} from '@lateen/operations/backup';
import type { CommandContext } from '../../command-context.ts';
import { keepDrawing } from '../../output/keep-drawing.ts';
import { redrawn } from '../../output/live-line.ts';
import { usesColor } from '../../output/phase-color.ts';
import { ChangedLines, progressEveryMs } from './changed-lines.ts';
import { progressLines } from './progress-lines.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Show = (view: () => BackupProgressView, ended: AbortSignal) => { changed(): void; ended: Promise<void> };

/**
 * Shows a backup on stderr until it has ended: a picture that is redrawn on a terminal, else lines that say what has changed.
 * @returns what was seen last
 * @throws AppError INTERRUPTED on Ctrl-C, saying that the backup goes on | BACKUP_DELETED
 */
export async function waitForBackup(
  kube: KubeApi,
  backup: Backup,
  context: CommandContext,
  env: Environment,
): Promise<BackupSight> {
  const { clock, random, signal, stderr } = context;
  const meter = new BackupProgressMeter();
  let seen: BackupSight = { backup, uploads: [], events: [] };
  const view = () => meter.view(seen, clock.now(), clock.monotonicMs());
  const over = new AbortController();
  const show: Show = stderr.isTTY === true ? onTerminal(context, env) : asLines(context);
  const shown = show(view, over.signal);
  const onChange = (now: BackupSight) => {
    seen = now;
    shown.changed();
  };
  try {
    return await followBackup({ kube, clock, random }, backup, onChange, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const { name } = backup.metadata;
    throw new AppError('INTERRUPTED', `stopped waiting; backup "${name}" goes on`, {
      nextStep: `See how it is with: lateen backup get ${name}; end it with: lateen backup cancel ${name}`,
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
    const handlers: (() => void)[] = [];
    const draw = () => picture.draw(progressLines(view(), { color }));
    const onChange = (handler: () => void) => handlers.push(handler);
    const ended = keepDrawing({ draw, onChange }, clock, over).finally(() => {
      draw();
      picture.keep();
    });
    const changed = () => {
      for (const handler of handlers) handler();
    };
    return { ended, changed };
  };
}

function asLines({ clock, stderr }: CommandContext): Show {
  return (view, over) => {
    const lines = new ChangedLines();
    const changed = () => {
      for (const line of lines.of(view(), clock.monotonicMs())) stderr.write(`${line}\n`);
    };
    return { changed, ended: eachTime(changed, progressEveryMs, clock, over) };
  };
}

/** Some of what is told follows from the time alone, and what was held back may be told later. */
async function eachTime(act: () => void, everyMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal).catch(() => {});
    if (!signal.aborted) act();
  }
}
