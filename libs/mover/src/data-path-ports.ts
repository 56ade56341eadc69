import type { FenceLimits, OpenEngine, VolumeMode } from '@lateen/datapath';
import type { EventSubject } from '@lateen/kube-runtime';
import type { DataPathEvent } from './data-path-messages.ts';
import type { DataPathKind, DataPathResource, EngineWish, VolumeMark } from './data-path-subject.ts';
import type { WatchPorts } from './wait-in-progress.ts';

/** What one mover is for; node-agent says it by flags. */
export interface DataPathTask {
  dataPath: DataPathKind;
  /** Absolute path of the volume inside the pod. */
  volumePath: string;
  volumeMode: VolumeMode;
  /** Of the custom resource. */
  name: string;
  /** For waits on objects; not for the data path itself. */
  resourceTimeoutMs: number;
}

export interface DataPathPorts extends WatchPorts {
  namespace: string;
  record(subject: EventSubject, event: DataPathEvent): void;
  /** Rejects when the volume is not what the task says. */
  checkVolume(): Promise<void>;
  openEngine(wish: EngineWish, resource: DataPathResource, signal: AbortSignal): Promise<OpenEngine>;
  /** An earlier attempt has left the mark, and it was not removed yet. */
  isMarked(mark: VolumeMark): Promise<boolean>;
  /** Leaves the mark in the volume, whose data is on its device by then. */
  markVolume(mark: VolumeMark, signal: AbortSignal): Promise<void>;
  /** Absent, those of `fenceLimits`. */
  fenceLimits?: Partial<FenceLimits> | undefined;
}
