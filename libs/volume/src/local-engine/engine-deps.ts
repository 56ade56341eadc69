import type { VolumeDeps } from '../volume-deps.ts';

/** One operation on a volume or snapshot at a time; the same that CSI's calls enter, with the IDs of records as keys. */
export interface OperationLock {
  /** @throws AppError `ABORTED`, retry `soon`, when another call holds one of them */
  enter(keys: readonly { id: string; mode: 'shared' | 'exclusive' }[]): Disposable;
}

export interface LocalEngineDeps extends VolumeDeps {
  inFlight: OperationLock;
}
