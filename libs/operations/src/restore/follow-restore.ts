import { annotations, type Restore } from '@lateen/api-types';
import { type FollowPorts, followRun, type Queue, type RunSight } from '../run/follow-run.ts';
import { restoreNoun, restorePhaseOf } from './restore-noun.ts';

/** Follows a restore and the restores that it waits for, which the server records on it. Otherwise like {@link followRun}. */
export async function followRestore(
  ports: FollowPorts,
  restore: Restore,
  onChange: (seen: RunSight<Restore>) => void,
  signal: AbortSignal,
): Promise<RunSight<Restore>> {
  return await followRun(ports, restoreNoun, restore, () => writtenQueue, onChange, signal);
}

const writtenQueue: Queue<Restore> = {
  follow: () => {},
  ahead: (restore) => {
    const names = waitsFor(restore);
    return names.length === 0 ? undefined : { running: names, queued: 0 };
  },
  end: async () => {},
};

/** Names of the restores that this one waits for; empty once it has started. */
export function waitsFor(restore: Restore): string[] {
  if (restorePhaseOf(restore) !== 'New') return [];
  const text = restore.metadata.annotations?.[annotations.waitsFor] ?? '';
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}
