import type { BackupResult, DataPathProgress, RestoreResult } from './data-path-result.ts';

/**
 * How a data path ended, or that it has moved on. Exactly one ending is reported, and nothing after it; see
 * {@link guardedCallbacks}.
 */
export interface DataPathCallbacks {
  /** The engine has started (Data-Path-Started). Once, before any progress or completion; left out when it never did. */
  onStarted(): void;
  /** `doneBytes` and `doneFiles` never go back; the totals are estimates and may. */
  onProgress(progress: DataPathProgress): void;
  /** What is not as in the source although the path goes well. Told in this process only; others find it in the Events. */
  onWarning?(text: string): void;
  onCompleted(result: BackupResult | RestoreResult): void;
  onFailed(error: Error): void;
  onCancelled(): void;
}

/**
 * One asynchronous data path, whether it runs in this process or in a pod of its own (design "VGDP Micro Service",
 * AsyncBR adapter). `I` is what `init` needs to reach the volume (for the watcher: the hosting pod), `P` what the start
 * needs. Order: `init`, one start, any number of `cancel`, `close`. `close` is safe at any time and more than once.
 */
export interface AsyncBR<I, P> {
  /** Prepares; for the watcher: informers are synced when this resolves, so no later event is missed. On abort: rejects, nothing is left running. */
  init(exposed: I, options: { signal: AbortSignal }): Promise<void>;
  /** Returns when the path is started (for the watcher: being watched); the end comes by callback. */
  startBackup(config: Readonly<Record<string, string>>, param: P): Promise<void>;
  startRestore(snapshotId: string, config: Readonly<Record<string, string>>, param: P): Promise<void>;
  /** Asks the path to end; the end itself is reported by callback. Safe to repeat. */
  cancel(): void;
  /** Ends watching and frees everything. No callback comes after it resolves. */
  close(): Promise<void>;
}
