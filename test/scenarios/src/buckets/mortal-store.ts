import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import { type Mortality, mortalStep } from '../world/mortal-kube.ts';

const lost = () => new AppError('OBJECT_STORE_UNAVAILABLE', 'the process is dead', { retry: 'soon' });

/** A store as one process sees it. The process may die at any of its calls, which count together with the writes to the API server. */
export function mortalStore(store: ObjectStore, life: Mortality): ObjectStore {
  const step = <T>(call: () => Promise<T>): Promise<T> => mortalStep(life, lost, call);
  async function* stream<T>(pieces: () => AsyncIterable<T>): AsyncGenerator<T> {
    await step(async () => {});
    for await (const piece of pieces()) {
      if (life.dead) throw lost();
      yield piece;
    }
  }
  return {
    listCommonPrefixes: (...args) => step(() => store.listCommonPrefixes(...args)),
    list: (...args) => stream(() => store.list(...args)),
    exists: (...args) => step(() => store.exists(...args)),
    get: (...args) => step(() => store.get(...args)),
    put: (...args) => step(() => store.put(...args)),
    read: (...args) => stream(() => store.read(...args)),
    write: (...args) => step(() => store.write(...args)),
    delete: (...args) => step(() => store.delete(...args)),
    endAbandonedWrites: (...args) => step(() => store.endAbandonedWrites(...args)),
    signedUrl: (...args) => step(() => store.signedUrl(...args)),
    close: () => store.close(),
  };
}
