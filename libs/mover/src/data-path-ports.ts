import type { FenceLimits, OpenEngine, VolumeMode } from '@lateen/datapath';
import type { EventSubject } from '@lateen/kube-runtime';
import type { DataPathEvent } from './data-path-messages.ts';
import type { DataPathResource, Direction } from './data-path-subject.ts';
import type { WatchPorts } from './wait-in-progress.ts';

/** What one mover is for; node-agent says it by flags. */
export interface DataPathTask {
  direction: Direction;
  /** Absolute path of the volume inside the pod. */
  volumePath: string;
  volumeMode: VolumeMode;
  /** Name of the DataUpload (backup) or DataDownload (restore). */
  name: string;
  /** For waits on objects; not for the data path itself. */
  resourceTimeoutMs: number;
}

export interface DataPathPorts extends WatchPorts {
  namespace: string;
  record(subject: EventSubject, event: DataPathEvent): void;
  /** Rejects when the volume is not what the task says. */
  checkVolume(): Promise<void>;
  openEngine(resource: DataPathResource, signal: AbortSignal): Promise<OpenEngine>;
  /** Absent, those of `fenceLimits`. */
  fenceLimits?: Partial<FenceLimits> | undefined;
}
