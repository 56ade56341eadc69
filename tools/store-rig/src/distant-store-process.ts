import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { StoreConditions } from './store-conditions.ts';
import type { StoreFigures } from './store-figures.ts';

/** A command to the process; it answers each with a {@link DistantStoreAnswer}. */
export type DistantStoreOrder =
  | { order: 'start'; upstream: string; conditions: StoreConditions }
  | { order: 'set'; conditions: StoreConditions }
  | { order: 'figures' }
  | { order: 'reset' };
export interface DistantStoreAnswer {
  endpoint: string;
  figures: StoreFigures;
}

export interface SpawnedDistantStore extends AsyncDisposable {
  /** `host:port`. */
  endpoint: string;
  pid: number;
  set(conditions: StoreConditions): Promise<void>;
  figures(): Promise<StoreFigures>;
  /** Resets the counters. */
  reset(): Promise<void>;
}

/** `startDistantStore` in a separate process, which ends with this one. */
export async function spawnDistantStore(upstream: string): Promise<SpawnedDistantStore> {
  const child = fork(join(import.meta.dirname, 'distant-store-main.ts'), { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const ask = async (order: DistantStoreOrder): Promise<DistantStoreAnswer> => {
    child.send(order);
    const ended = exited.then(() => Promise.reject(new Error('the distant store has ended')));
    const [answer] = await Promise.race([once(child, 'message'), ended]);
    return answer as DistantStoreAnswer;
  };
  const { endpoint } = await ask({ order: 'start', upstream, conditions: {} });
  return {
    endpoint,
    pid: child.pid ?? 0,
    set: async (conditions) => {
      await ask({ order: 'set', conditions });
    },
    figures: async () => (await ask({ order: 'figures' })).figures,
    reset: async () => {
      await ask({ order: 'reset' });
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await exited;
    },
  };
}
