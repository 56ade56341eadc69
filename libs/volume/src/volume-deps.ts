import type { Admission } from './controller/admission.ts';
import type { CopyMode } from './host/copy-file.ts';
import type { Host } from './host/host.ts';
import type { RecordStore } from './store/record-store.ts';
import type { StatePaths } from './store/state-paths.ts';

/** What every operation works with; built once by {@link openVolumes}. */
export interface VolumeDeps {
  host: Host;
  store: RecordStore;
  paths: StatePaths;
  copyMode: CopyMode;
  nodeId: string;
  admission: Admission;
}
