import { type Backup, backupType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, type Random, silentLogger } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { informer } from '@lateen/kube-runtime';
import { backupPhaseOf } from './backup-noun.ts';

/** What a backup that is Queued stands behind. */
export interface QueueAhead {
  /** Names of those that run, at most as many as the controller runs at the same time. */
  running: readonly string[];
  /** How many wait before it. */
  queued: number;
}

/** Watches the other backups for as long as one waits for its turn. */
export interface QueueWatch {
  /** Begins or ends to watch. */
  follow(backup: Backup): void;
  /** Undefined unless the backup is Queued and the others are known. */
  ahead(backup: Backup): QueueAhead | undefined;
  end(): Promise<void>;
}

export interface FollowPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
}

/** @param onChange called when another backup has changed */
export function queueWatch({ kube, clock, random }: FollowPorts, namespace: string, onChange: () => void): QueueWatch {
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

/** There may be thousands of backups, and nothing else of them is needed. */
function onlyPhase({ metadata, status, ...rest }: Backup): Backup {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  const { phase = 'New', queuePosition = 0 } = status ?? {};
  return { ...rest, metadata: { name, namespace, uid, resourceVersion }, spec: {}, status: { phase, queuePosition } };
}
