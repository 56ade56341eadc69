import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { describeAsyncBR } from './conformance/describe-async-br.ts';
import type { AccessPoint } from './data-path-result.ts';
import { inProcessDataPath } from './in-process.ts';
import type { DownloadResult, SnapshotSource, Uploader, UploadResult } from './uploader.ts';

const source: SnapshotSource = { path: 'p', tags: {} };
const exposed: AccessPoint = { byPath: '/v', volumeMode: 'Filesystem' };
type Request = Parameters<Uploader['upload']>[0] | Parameters<Uploader['download']>[0];

/** An engine controlled by the test; like an Uploader, it rejects with the signal's reason on abort. */
class HandEngine {
  requests: Request[] = [];
  #running: PromiseWithResolvers<UploadResult & DownloadResult> | undefined;
  readonly uploader: Uploader = { upload: (request) => this.#run(request), download: (request) => this.#run(request) };

  get running(): number {
    return this.#running === undefined ? 0 : 1;
  }
  progress(totalBytes: number, doneBytes: number): void {
    this.requests.at(-1)?.onProgress({ totalBytes, doneBytes });
  }
  complete(): void {
    this.#running?.resolve({ snapshotID: 'id', totalBytes: 10, incrementalBytes: 3 });
  }
  fail(message: string): void {
    this.#running?.reject(new Error(message));
  }

  async #run(request: Request): Promise<UploadResult & DownloadResult> {
    this.requests.push(request);
    const running = Promise.withResolvers<UploadResult & DownloadResult>();
    this.#running = running;
    request.signal.addEventListener('abort', () => running.reject(request.signal.reason));
    try {
      return await running.promise;
    } finally {
      this.#running = undefined;
    }
  }
}

const settle = async () => {
  for (let round = 0; round < 5; round++) await setImmediate();
};

describeAsyncBR('in this process', (callbacks) => {
  const engine = new HandEngine();
  let open = 0;
  let blocked = false;
  const path = inProcessDataPath({
    open: async (_, signal) => {
      signal.throwIfAborted();
      if (blocked) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      open++;
      return {
        uploader: engine.uploader,
        close: async () => {
          open--;
        },
      };
    },
    callbacks,
  });
  return {
    path,
    exposed,
    param: source,
    engine,
    cancel: () => path.cancel(),
    blockInit: () => {
      blocked = true;
    },
    settle,
    held: () => open + engine.running,
  };
});

describe('a data path in this process', () => {
  const noCallbacks = {
    onStarted: () => {},
    onProgress: () => {},
    onCompleted: () => {},
    onFailed: () => {},
    onCancelled: () => {},
  };
  it('passes volume, source and configuration to the engine', async () => {
    const engine = new HandEngine();
    const open = async () => ({ uploader: engine.uploader, close: async () => {} });
    const path = inProcessDataPath({ open, callbacks: noCallbacks });
    await path.init(exposed, { signal: new AbortController().signal });
    await path.startBackup({ ParallelFilesUpload: '3' }, source);
    expect(engine.requests[0]).toMatchObject({
      volumePath: '/v',
      volumeMode: 'Filesystem',
      source,
      config: { ParallelFilesUpload: '3' },
    });
    await path.close();
  });
  it('reports the warnings of a restore, and its report', async () => {
    const warnings: string[] = [];
    const completed = Promise.withResolvers<unknown>();
    const report = { reader: 'packs' as const, files: 2, filesPerSecond: 4, bytesPerSecond: 20, seconds: 0.5 };
    const download: Uploader['download'] = async ({ onWarning }) => {
      onWarning?.('some times are missing');
      return { totalBytes: 10, report };
    };
    const path = inProcessDataPath({
      open: async () => ({ uploader: { ...new HandEngine().uploader, download }, close: async () => {} }),
      callbacks: { ...noCallbacks, onWarning: (text) => warnings.push(text), onCompleted: completed.resolve },
    });
    await path.init(exposed, { signal: new AbortController().signal });
    await path.startRestore('id', {}, undefined);
    expect(await completed.promise).toEqual({ target: exposed, totalBytes: 10, report });
    expect(warnings).toEqual(['some times are missing']);
    await path.close();
  });
  it('rejects a backup without a source', async () => {
    const open = async () => ({ uploader: new HandEngine().uploader, close: async () => {} });
    const path = inProcessDataPath({ open, callbacks: noCallbacks });
    await path.init(exposed, { signal: new AbortController().signal });
    await expect(path.startBackup({}, undefined)).rejects.toThrow('whose data');
    await path.close();
  });
  it('closes an engine that opens after an abort', async () => {
    const opened = Promise.withResolvers<void>();
    let closed = false;
    const path = inProcessDataPath({
      open: async () => {
        await opened.promise;
        return {
          uploader: new HandEngine().uploader,
          close: async () => {
            closed = true;
          },
        };
      },
      callbacks: noCallbacks,
    });
    const initialising = path.init(exposed, { signal: new AbortController().signal });
    initialising.catch(() => {});
    const closing = path.close();
    opened.resolve();
    await closing;
    await expect(initialising).rejects.toThrow('closed');
    expect(closed).toBe(true);
  });
  it('reports a failure that comes instead of the expected end', async () => {
    const failed: string[] = [];
    const engine = new HandEngine();
    const path = inProcessDataPath({
      open: async () => ({ uploader: engine.uploader, close: async () => {} }),
      callbacks: { ...noCallbacks, onFailed: ({ message }) => failed.push(message) },
    });
    await path.init(exposed, { signal: new AbortController().signal });
    await path.startRestore('id', {}, undefined);
    engine.fail('broken');
    path.cancel();
    await settle();
    expect(failed).toEqual(['broken']);
    await path.close();
  });
});
