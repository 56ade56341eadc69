import { type Backup, backupType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { informer } from '@lateen/kube-runtime';
import { type FollowPorts, followRun, type Queue, type RunSight } from '../run/follow-run.ts';
import { backupNoun, backupPhaseOf } from './backup-noun.ts';

/** Follows a backup, and the other backups while it is queued. Otherwise like {@link followRun}. */
export async function followBackup(
  ports: FollowPorts,
  backup: Backup,
  onChange: (seen: RunSight<Backup>) => void,
  signal: AbortSignal,
): Promise<RunSight<Backup>> {
  const queueOf = (changed: () => void) => queueWatch(ports, backup.metadata.namespace ?? '', changed);
  return await followRun(ports, backupNoun, backup, queueOf, onChange, signal);
}

/** Watches the other backups while the backup is Queued. @param onChange called when another backup has changed */
function queueWatch({ kube, clock, random }: FollowPorts, namespace: string, onChange: () => void): Queue<Backup> {
  const backups = informer<Backup>({
    api: kube,
    type: backupType,
    namespace,
    clock,
    random,
    log: silentLogger,
    transform: onlyPhase,
  });
  backups.onChange(() => {
    if (backups.hasSynced) onChange();
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  const end = async () => {
    stop.abort(new AppError('STOPPED', 'the backup does not wait for its turn any more'));
    await running;
  };
  return {
    follow: (backup) => {
      const waits = backupPhaseOf(backup) === 'Queued';
      if (waits && running === undefined) {
        running = backups.run(stop.signal);
        backups.synced(stop.signal).then(onChange, () => {});
      } else if (!waits && running !== undefined) stop.abort(new AppError('STOPPED', 'its turn has come'));
    },
    ahead: (backup) => {
      if (backupPhaseOf(backup) !== 'Queued' || !backups.hasSynced) return undefined;
      const others = backups.list().filter(({ metadata }) => metadata.name !== backup.metadata.name);
      const position = backup.status?.queuePosition ?? 0;
      return {
        running: others.filter(runs).map(({ metadata }) => metadata.name ?? ''),
        queued: others.filter((other) => isBefore(other, position)).length,
      };
    },
    end,
  };
}

const runs = (backup: Backup): boolean => ['ReadyToStart', 'InProgress', 'Canceling'].includes(backupPhaseOf(backup));

const isBefore = (backup: Backup, position: number): boolean =>
  backupPhaseOf(backup) === 'Queued' && (backup.status?.queuePosition ?? 0) < position;

/** Keeps only the phase, because there may be thousands of backups. */
function onlyPhase({ metadata, status, ...rest }: Backup): Backup {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  const { phase = 'New', queuePosition = 0 } = status ?? {};
  return { ...rest, metadata: { name, namespace, uid, resourceVersion }, spec: {}, status: { phase, queuePosition } };
}
