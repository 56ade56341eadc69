import type {
  DataPathProgress,
  DownloadResult,
  ReadReport,
  RestoreReport,
  Uploader,
  UploadResult,
} from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { MoverScript } from './mover-actor.ts';

export const movedBytes = { totalBytes: 1_000, incrementalBytes: 250 };
export const movedWarning = '1 file vanished while the volume was read (log/1)';
export const movedSnapshotId = '0123456789abcdef0123456789abcdef';

/** How a block volume was read when changed blocks were asked for. */
export const readReport: ReadReport = { readBytes: 300, changedBytes: 300, uploadedBytes: 250 };

/** The throughput of every restore. */
export const restoreReport: RestoreReport = {
  reader: 'packs',
  limitedBy: 'store-latency',
  files: 40,
  filesPerSecond: 20,
  bytesPerSecond: 500,
  storeBytes: 600,
  storeRequests: 3,
  storeLatencyMs: 28,
  storeRequestsInFlight: 64,
  seconds: 2,
};

interface Request {
  onProgress(progress: DataPathProgress): void;
  signal: AbortSignal;
}

/** Moves half of everything at once, and then does what its script says. */
export class ScriptedEngine implements Uploader {
  #script: MoverScript;
  readonly #kill: () => void;
  #changed = Promise.withResolvers<void>();
  #request: Request | undefined;

  /** `kill` ends the whole container. */
  constructor(script: MoverScript, kill: () => void) {
    this.#script = script;
    this.#kill = kill;
  }

  follow(script: MoverScript): void {
    this.#script = script;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  report(doneBytes: number): void {
    const { totalBytes } = movedBytes;
    const { files: totalFiles, limitedBy } = restoreReport;
    const doneFiles = Math.floor((totalFiles * doneBytes) / totalBytes);
    this.#request?.onProgress({ totalBytes, doneBytes, totalFiles, doneFiles, limitedBy });
  }

  async upload(request: Request): Promise<UploadResult> {
    await this.#move(request);
    const warned = this.#script === 'completeWithWarning' ? { warning: movedWarning } : {};
    const read = this.#script === 'completeByChanges' ? { readReport } : {};
    return { snapshotID: movedSnapshotId, ...movedBytes, ...warned, ...read };
  }

  async download(request: Request): Promise<DownloadResult> {
    await this.#move(request);
    return { totalBytes: movedBytes.totalBytes, report: restoreReport };
  }

  async #move(request: Request): Promise<void> {
    this.#request = request;
    this.report(movedBytes.totalBytes / 2);
    const aborted = new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve()));
    while (this.#script === 'hang' || this.#script === 'ignoreCancel') {
      const changed = this.#changed.promise;
      await (this.#script === 'hang' ? Promise.race([changed, aborted]) : changed);
      if (this.#script === 'hang') request.signal.throwIfAborted();
    }
    this.#request = undefined;
    switch (this.#script) {
      case 'fail':
        throw new AppError('UPLOADER_FAILED', 'no such bucket');
      case 'killed':
        this.#kill();
        return await new Promise<never>(() => {});
      case 'complete':
      case 'completeWithoutEvents':
      case 'completeWithoutMessage':
      case 'completeAndStay':
      case 'completeByChanges':
      case 'completeWithWarning':
      case 'failBeforeStart':
        return;
      default:
        return this.#script satisfies never;
    }
  }
}
