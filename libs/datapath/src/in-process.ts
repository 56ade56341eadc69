import type { AsyncBR, DataPathCallbacks } from './async-br.ts';
import type { AccessPoint, BackupResult, RestoreResult } from './data-path-result.ts';
import { guardedCallbacks } from './guarded-callbacks.ts';
import type { SnapshotSource, Uploader } from './uploader.ts';

/** An engine connected to the repository of one volume. */
export interface OpenEngine {
  uploader: Uploader;
  close(): Promise<void>;
}

export interface InProcessOptions {
  /** Connects the engine. On abort: rejects, and leaves nothing open. */
  open(volume: AccessPoint, signal: AbortSignal): Promise<OpenEngine>;
  callbacks: DataPathCallbacks;
}

type Move = (engine: OpenEngine, volume: AccessPoint, signal: AbortSignal) => Promise<BackupResult | RestoreResult>;

/**
 * A data path in this process: AsyncBR over an Uploader, for the data mover. `init` opens the engine, `cancel` aborts it,
 * `close` ends it and resolves when the engine is closed.
 */
export function inProcessDataPath(options: InProcessOptions): AsyncBR<AccessPoint, SnapshotSource | undefined> {
  const path = new InProcessPath(options);
  const { onProgress, onWarning } = path.callbacks;
  return {
    init: (volume, { signal }) => path.init(volume, signal),
    startBackup: async (config, source) => {
      if (source === undefined) throw new Error('a backup needs to know whose data it is');
      path.start(async ({ uploader }, volume, signal) => {
        const { byPath: volumePath, volumeMode } = volume;
        const request = { volumePath, volumeMode, source, config, onProgress, onWarning, signal };
        const { snapshotID, totalBytes, incrementalBytes, warning, readReport } = await uploader.upload(request);
        const told = {
          ...(warning === undefined ? {} : { warning }),
          ...(readReport === undefined ? {} : { readReport }),
        };
        return { snapshotID, emptySnapshot: false, source: volume, totalBytes, incrementalBytes, ...told };
      });
    },
    startRestore: async (snapshotID, config) => {
      path.start(async ({ uploader }, volume, signal) => {
        const { byPath: volumePath, volumeMode } = volume;
        const { totalBytes, report } = await uploader.download({
          snapshotID,
          volumePath,
          volumeMode,
          config,
          onProgress,
          onWarning,
          signal,
        });
        return { target: volume, totalBytes, ...(report === undefined ? {} : { report }) };
      });
    },
    cancel: () => path.cancel(),
    close: () => path.close(),
  };
}

class InProcessPath {
  readonly callbacks;
  readonly #open: InProcessOptions['open'];
  readonly #cancel = new AbortController();
  readonly #closed = new AbortController();
  #opening: Promise<void> | undefined;
  #opened: { volume: AccessPoint; engine: OpenEngine } | undefined;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ open, callbacks }: InProcessOptions) {
    this.#open = open;
    this.callbacks = guardedCallbacks(callbacks);
  }

  async init(volume: AccessPoint, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#closed.signal]);
    either.throwIfAborted();
    const opening = this.#openEngine(volume, either);
    this.#opening = opening;
    await opening;
  }

  start(move: Move): void {
    if (this.#opened === undefined) throw new Error('init must come before the start');
    if (this.#running !== undefined) throw new Error('a data path is started once');
    const { volume, engine } = this.#opened;
    this.#running = this.#run(() => move(engine, volume, this.#cancel.signal));
  }

  cancel(): void {
    this.#cancel.abort(new DOMException('the data path is asked to end', 'AbortError'));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #openEngine(volume: AccessPoint, signal: AbortSignal): Promise<void> {
    const engine = await this.#open(volume, signal);
    if (signal.aborted) {
      await engine.close();
      throw signal.reason;
    }
    this.#opened = { volume, engine };
  }

  async #run(move: () => Promise<BackupResult | RestoreResult>): Promise<void> {
    const { signal } = this.#cancel;
    if (signal.aborted) return this.callbacks.onCancelled();
    this.callbacks.onStarted();
    const end = await move().then(
      (result) => () => this.callbacks.onCompleted(result),
      (error: unknown) => () => {
        if (signal.aborted && error === signal.reason) this.callbacks.onCancelled();
        else this.callbacks.onFailed(error instanceof Error ? error : new Error(String(error)));
      },
    );
    end();
  }

  async #close(): Promise<void> {
    this.callbacks.close();
    this.#closed.abort(new DOMException('the data path is closed', 'AbortError'));
    this.cancel();
    await Promise.allSettled([this.#opening, this.#running]);
    await this.#opened?.engine.close();
  }
}
