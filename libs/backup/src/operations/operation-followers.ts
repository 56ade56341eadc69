import type { Backup } from '@lateen/api-types';
import type { BackupOperation } from '@lateen/backup-store';
import type { BackupItemAction, OperationContext, OperationProgress } from '@lateen/item-actions';
import { keyOf, keyText } from '@lateen/kube';
import type { BackupPorts } from '../backup-ports.ts';

/** The operations of one backup as they are followed; what is here comes again from bucket and API server when it is lost. */
export interface Follower {
  operations: readonly BackupOperation[];
  /** What was said last of each, by operation ID. */
  readonly progress: ReadonlyMap<string, OperationProgress>;
  /** When following began: on the clock that never jumps, and as the time of day. */
  readonly sinceMs: number;
  readonly sinceDayMs: number;
  /** Nothing was heard of the operation for so long that it has to be asked. */
  mayAsk(operation: BackupOperation, nowMs: number): boolean;
  asked(operationId: string, progress: OperationProgress): void;
}

/** Operations that nobody watches are asked this often; those that a watch tells of may have gone without a word. */
const askMs = { unwatched: 10_000, watched: 300_000 } as const;

export interface OperationFollowers {
  get(uid: string): Follower | undefined;
  /** Begins to watch, until {@link end} or `signal`; each change wakes the backup's key. */
  begin(backup: Backup, operations: readonly BackupOperation[], signal: AbortSignal): Follower;
  end(uid: string): void;
}

type Ports = Pick<BackupPorts, 'kube' | 'clock' | 'random' | 'log' | 'namespace' | 'actions'>;

/** Many operations tell of their progress at once; an end is looked at sooner than a figure. */
const lookAfterMs = { end: 100, progress: 1_000 } as const;

export function operationFollowers(ports: Ports, wake: (key: string, afterMs: number) => void): OperationFollowers {
  const all = new Map<string, { follower: Follower; stop: AbortController }>();
  const end = (uid: string) => {
    all.get(uid)?.stop.abort(new Error('the operations are not followed any more'));
    all.delete(uid);
  };
  return {
    get: (uid) => all.get(uid)?.follower,
    end,
    begin: (backup, operations, signal) => {
      const uid = backup.metadata.uid ?? '';
      end(uid);
      const stop = new AbortController();
      const { follower, told } = newFollower(ports, operations);
      all.set(uid, { follower, stop });
      const onChange = (operationId: string, said: OperationProgress) => {
        told(operationId, said);
        wake(keyText(keyOf(backup)), said.completed ? lookAfterMs.end : lookAfterMs.progress);
      };
      const either = AbortSignal.any([signal, stop.signal]);
      for (const action of actionsOf(ports, operations)) watch(ports, action, backup, onChange, either);
      return follower;
    },
  };
}

function newFollower({ clock, actions }: Ports, operations: readonly BackupOperation[]) {
  const progress = new Map<string, OperationProgress>();
  const beganMs = clock.monotonicMs();
  const heard = new Map<string, { atMs: number; waitMs: number }>();
  const watchable = new Set(
    actions.backup.filter((each) => each.watchOperations !== undefined).map(({ name }) => name),
  );
  const hear = (id: string, said: OperationProgress, waitMs: number) => {
    progress.set(id, said);
    heard.set(id, { atMs: clock.monotonicMs(), waitMs });
  };
  const follower: Follower = {
    operations,
    progress,
    sinceMs: beganMs,
    sinceDayMs: clock.now(),
    mayAsk: ({ spec }, nowMs) => {
      const last = heard.get(spec.operationID);
      if (last !== undefined) return nowMs - last.atMs >= last.waitMs;
      return !watchable.has(spec.backupItemAction) || nowMs - beganMs >= askMs.unwatched;
    },
    asked: (id, said) => hear(id, said, askMs.unwatched),
  };
  return { follower, told: (id: string, said: OperationProgress) => hear(id, said, askMs.watched) };
}

const actionsOf = ({ actions }: Ports, operations: readonly BackupOperation[]): BackupItemAction[] => {
  const names = new Set(operations.map(({ spec }) => spec.backupItemAction));
  return actions.backup.filter(({ name }) => names.has(name));
};

function watch(
  ports: Ports,
  action: BackupItemAction,
  backup: Backup,
  onChange: (operationId: string, progress: OperationProgress) => void,
  signal: AbortSignal,
): void {
  // What a watch that broke does not say is asked for.
  action.watchOperations?.(operationContext(ports, backup), onChange, signal).catch((error: unknown) => {
    if (!signal.aborted) ports.log.warn({ action: action.name, err: error }, 'operations cannot be watched');
  });
}

export const operationContext = (
  { kube, clock, random, log, namespace }: Omit<Ports, 'actions'>,
  backup: Backup,
): OperationContext => ({ kube, clock, random, log, veleroNamespace: namespace, backup });
