import { Admission } from './controller/admission.ts';
import { type CopyMode, detectCopyMode } from './host/copy-file.ts';
import type { Host } from './host/host.ts';
import { recover } from './recover.ts';
import { RecordStore } from './store/record-store.ts';
import { statePaths } from './store/state-paths.ts';
import type { VolumeDeps } from './volume-deps.ts';

export interface OpenOptions {
  stateDirectory: string;
  nodeId: string;
  host: Host;
  /** Overrides what the file system can; for tests of the plain copy. */
  copyMode?: CopyMode;
}

/** Opens a state directory: reads the records, finds out how to copy, and recovers from whatever ended the last process. */
export async function openVolumes(options: OpenOptions, signal: AbortSignal): Promise<VolumeDeps> {
  const { host, nodeId } = options;
  const paths = statePaths(options.stateDirectory);
  const store = await RecordStore.open(host.files, paths);
  const copyMode = options.copyMode ?? (await detectCopyMode(host, paths.data, signal));
  const deps: VolumeDeps = {
    host,
    store,
    paths,
    copyMode,
    nodeId,
    admission: new Admission(host.files, store, paths),
  };
  await recover(deps, signal);
  host.log.info({ copyMode, volumes: store.volumes().length, snapshots: store.snapshots().length }, 'volumes opened');
  return deps;
}
