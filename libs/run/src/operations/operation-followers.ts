import type { OperationProgress } from '@lateen/item-actions';
import { keyOf, keyText } from '@lateen/kube';
import type { RunObject } from '../run-object.ts';
import type { OperationAction, OperationFiles, OperationsKind, RunOperation } from './operations-kind.ts';

/**
 * The operations of one run while they are followed; after a crash all of this is read again from the bucket and the API server.
 */
export interface Follower<O extends RunOperation> {
  operations: readonly O[];
  /** The last reported progress of each, by operation ID. */
  readonly progress: ReadonlyMap<string, OperationProgress>;
  /** When following started: on the monotonic clock, and as wall-clock time. */
  readonly sinceMs: number;
  readonly sinceDayMs: number;
  /** True when there was no report about the operation for so long that its action has to be asked. */
  mayAsk(operation: O, nowMs: number): boolean;
  asked(operationId: string, progress: OperationProgress): void;
}

/**
 * Operations without a watch are asked this often; a watched one may have ended without an event, so it is asked too, but less
 * often.
 */
const askMs = { unwatched: 10_000, watched: 300_000 } as const;

export interface OperationFollowers<R extends RunObject, O extends RunOperation> {
  get(uid: string): Follower<O> | undefined;
  /** Starts to watch, until {@link end} or `signal`; each change puts the key of the run into the queue. */
  begin(run: R, operations: readonly O[], signal: AbortSignal): Follower<O>;
  end(uid: string): void;
}

type Followed<R extends RunObject, O extends RunOperation, C> = Pick<
  OperationsKind<R, O, C, OperationFiles<O>>,
  'clock' | 'log' | 'actions' | 'actionOf' | 'contextOf'
>;

/** Many operations report progress at once, so a look is delayed; less for an end than for a change of figures. */
const lookAfterMs = { end: 100, progress: 1_000 } as const;

export function operationFollowers<R extends RunObject, O extends RunOperation, C>(
  kind: Followed<R, O, C>,
  wake: (key: string, afterMs: number) => void,
): OperationFollowers<R, O> {
  const all = new Map<string, { follower: Follower<O>; stop: AbortController }>();
  const end = (uid: string) => {
    all.get(uid)?.stop.abort(new Error('the operations are not followed any more'));
    all.delete(uid);
  };
  return {
    get: (uid) => all.get(uid)?.follower,
    end,
    begin: (run, operations, signal) => {
      const uid = run.metadata.uid ?? '';
      end(uid);
      const stop = new AbortController();
      const { follower, told, unwatched } = newFollower(kind, operations);
      all.set(uid, { follower, stop });
      const onChange = (operationId: string, said: OperationProgress) => {
        told(operationId, said);
        wake(keyText(keyOf(run)), said.completed ? lookAfterMs.end : lookAfterMs.progress);
      };
      const either = AbortSignal.any([signal, stop.signal]);
      for (const action of actionsOf(kind, operations))
        action.watchOperations?.(kind.contextOf(run), onChange, either).catch((error: unknown) => {
          // After a broken watch, the actions are asked.
          if (either.aborted) return;
          unwatched();
          kind.log.warn({ action: action.name, err: error }, 'operations cannot be watched');
        });
      return follower;
    },
  };
}

function newFollower<R extends RunObject, O extends RunOperation, C>(
  { clock, actions, actionOf }: Followed<R, O, C>,
  operations: readonly O[],
) {
  const progress = new Map<string, OperationProgress>();
  const beganMs = clock.monotonicMs();
  const heardAtMs = new Map<string, number>();
  /** Operations that a watch has reported: it also reports their next change, however long that takes. */
  const watched = new Set<string>();
  const watchable = new Set(actions.filter((each) => each.watchOperations !== undefined).map(({ name }) => name));
  const hear = (id: string, said: OperationProgress) => {
    progress.set(id, said);
    heardAtMs.set(id, clock.monotonicMs());
  };
  const follower: Follower<O> = {
    operations,
    progress,
    sinceMs: beganMs,
    sinceDayMs: clock.now(),
    mayAsk: (operation, nowMs) => {
      const id = operation.spec.operationID;
      const atMs = heardAtMs.get(id);
      if (atMs !== undefined) return nowMs - atMs >= (watched.has(id) ? askMs.watched : askMs.unwatched);
      return !watchable.has(actionOf(operation)) || nowMs - beganMs >= askMs.unwatched;
    },
    asked: hear,
  };
  const told = (id: string, said: OperationProgress) => {
    watched.add(id);
    hear(id, said);
  };
  return { follower, told, unwatched: () => watched.clear() };
}

function actionsOf<R extends RunObject, O extends RunOperation, C>(
  { actions, actionOf }: Followed<R, O, C>,
  operations: readonly O[],
): OperationAction<C>[] {
  const names = new Set(operations.map(actionOf));
  return actions.filter(({ name }) => names.has(name));
}
