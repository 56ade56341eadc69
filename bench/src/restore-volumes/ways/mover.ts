import { join } from 'node:path';
import type { Way, WayContext } from '../way.ts';
import { runMeasured } from './run-measured.ts';

/** What `mover-main.ts` is told. */
export interface MoverOrder {
  target: ReturnType<WayContext['made']['target']>;
  snapshotID: string;
  volumeMode: 'Block' | 'Filesystem';
  volumePath: string;
  /** For all that is kept beside the volume. */
  scratch: string;
  kopia: string;
  /** As `spec.dataMoverConfig` of a DataDownload. */
  config: Readonly<Record<string, string>>;
}

/** A restore as the mover makes it, in a process of its own, with the engine doing the reading. */
export const moverWithEngine: Way = {
  name: 'engine',
  title: 'our mover, the engine restores',
  distant: true,
  runs: () => true,
  run: (context) => moverRestore(context, { DirectRestore: 'false' }),
};

async function moverRestore(context: WayContext, config: Record<string, string>): Promise<string> {
  const { made, store, dataset, volume, scratch } = context;
  const order: MoverOrder = {
    target: made.target(store.endpoint),
    snapshotID: made.snapshotID,
    volumeMode: dataset.mode,
    volumePath: volume,
    scratch,
    kopia: made.server.kopia,
    config,
  };
  return await runMeasured(context, process.execPath, [join(import.meta.dirname, 'mover-main.ts')], {
    LATEEN_BENCH: JSON.stringify(order),
  });
}
