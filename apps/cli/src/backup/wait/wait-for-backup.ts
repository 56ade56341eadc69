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
import { ChangedLines } from './changed-lines.ts';
import { progressLines } from './progress-lines.ts';

type Environment = Readonly<Record<string, string | undefined>>;
interface Shown {
  /** @param isOfBackup the Backup itself has changed, not something beside it */
  changed(isOfBackup: boolean): void;
  ended: Promise<void>;
}
type Show = (view: () => BackupProgressView, ended: AbortSignal) => Shown;

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
    const isOfBackup = now.backup !== seen.backup;
    seen = now;
    shown.changed(isOfBackup);
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
    const { changed, ended } = drawnAgain(() => picture.draw(progressLines(view(), { color })), clock, over);
    const kept = ended.finally(() => {
      picture.draw(progressLines(view(), { color }));
      picture.keep();
    });
    return { changed, ended: kept };
  };
}

/** Each state of the Backup is told at once; of thousands of volumes that change all the time, what has gathered. */
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
      changed: (isOfBackup) => {
        isToldOnce = true;
        if (isOfBackup) tell();
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
