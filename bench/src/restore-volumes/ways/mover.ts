import type { Way, WayContext } from '../way.ts';
import { runMeasured } from './run-measured.ts';

/** Arguments of `mover-main.ts`. */
export interface MoverOrder {
  target: ReturnType<WayContext['made']['target']>;
  snapshotID: string;
  volumeMode: 'Block' | 'Filesystem';
  volumePath: string;
  /** Folder for all files other than the volume. */
  scratch: string;
  kopia: string;
  /** In the form of `spec.dataMoverConfig` of a DataDownload. */
  config: Readonly<Record<string, string>>;
  /** Memory limit of the pod. */
  memoryBytes: number | undefined;
  /** The program of worker threads. */
  worker: string;
}

/** A restore as the mover does it: in a separate process, from the packs of the repository. */
export const moverFromPacks: Way = {
  name: 'direct',
  title: 'our mover, from the packs',
  distant: true,
  runs: () => true,
  run: (context) => moverRestore(context, {}),
};

/** The same in a pod of 256 MiB. */
export const moverInSmallPod: Way = {
  ...moverFromPacks,
  name: 'direct-256',
  title: 'our mover, from the packs, within 256 MiB',
  memoryBytes: 256 * 1024 ** 2,
};

/** The same, with reads by the engine. */
export const moverWithEngine: Way = {
  name: 'engine',
  title: 'our mover, the engine restores',
  distant: true,
  runs: () => true,
  run: (context) => moverRestore(context, { DirectRestore: 'false' }),
};

/** One restore by the mover; resolves with its result as JSON. @param config in the form of `spec.dataMoverConfig` of a DataDownload */
export async function moverRestore(context: WayContext, config: Record<string, string>): Promise<string> {
  const { made, store, dataset, volume, scratch, mover } = context;
  const order: MoverOrder = {
    target: made.target(store.endpoint),
    snapshotID: made.snapshotID,
    volumeMode: dataset.mode,
    volumePath: volume,
    scratch,
    kopia: made.server.kopia,
    config,
    memoryBytes: context.memoryBytes,
    worker: mover.worker,
  };
  return await runMeasured(context, process.execPath, [...mover.nodeFlags, mover.program], {
    LATEEN_BENCH: JSON.stringify(order),
  });
}
