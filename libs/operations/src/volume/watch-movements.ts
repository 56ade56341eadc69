import { type Clock, type Random, silentLogger } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { type Change, informer } from '@lateen/kube-runtime';
import { type Movement, type MovementKind, movementKinds } from './movement-kinds.ts';

export interface WatchOptions {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  namespace: string;
  labelSelector: string | undefined;
  /** Absent: all kinds. */
  kinds?: readonly MovementKind[];
}

/** The current movements, kept up to date by one watch per kind. */
export interface WatchedMovements {
  list(): Movement[];
  /** Calls the handler for each change, first for the existing movements. */
  onChange(handler: (change: Change<Movement>) => void): void;
  /** Runs until `signal` aborts. A watch that breaks is restarted. */
  run(signal: AbortSignal): Promise<void>;
}

export function watchMovements({ labelSelector, kinds = movementKinds, ...options }: WatchOptions): WatchedMovements {
  const selection = labelSelector === undefined ? {} : { labelSelector };
  const informers = kinds.map(({ type }) =>
    informer<Movement>({ ...options, ...selection, api: options.kube, type, log: silentLogger }),
  );
  return {
    list: () => informers.flatMap((each) => each.list()),
    onChange: (handler) => {
      for (const each of informers) each.onChange(handler);
    },
    run: async (signal) => {
      await Promise.all(informers.map((each) => each.run(signal)));
    },
  };
}
