import { systemClock } from '@lateen/kernel';
import { type DistantStore, startDistantStore } from './distant-store.ts';
import type { DistantStoreAnswer, DistantStoreOrder } from './distant-store-process.ts';
import { noFigures } from './store-figures.ts';

/** The process of `spawnDistantStore`: executes commands of its parent, and ends with it. */
let store: DistantStore | undefined;
process.on('message', (order: DistantStoreOrder) => void obey(order));
process.on('disconnect', () => process.exit(0));

async function obey(order: DistantStoreOrder): Promise<void> {
  if (order.order === 'start') store = await startDistantStore({ ...order, clock: systemClock });
  else if (order.order === 'set') store?.set(order.conditions);
  else if (order.order === 'reset') store?.reset();
  const answer: DistantStoreAnswer = {
    endpoint: store?.endpoint ?? '',
    figures: store?.figures() ?? noFigures(),
  };
  process.send?.(answer);
}
