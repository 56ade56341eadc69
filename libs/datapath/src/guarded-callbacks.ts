import type { DataPathCallbacks } from './async-br.ts';
import type { DataPathProgress } from './data-path-result.ts';

export interface GuardedCallbacks extends Required<DataPathCallbacks> {
  /** True once an ending was reported, or after `close`. */
  readonly ended: boolean;
  /** No callback comes through any more. */
  close(): void;
}

/**
 * Keeps the promises of {@link DataPathCallbacks} whatever is fed in, so that both forms of a data path keep the same
 * ones: the start is told once and before all else, bytes and files done never go back, a repeated progress is left out, there is
 * one ending and nothing after it.
 */
export function guardedCallbacks(callbacks: DataPathCallbacks): GuardedCallbacks {
  let started = false;
  let ended = false;
  let last: Counts = { totalBytes: -1, doneBytes: 0, totalFiles: 0, doneFiles: 0 };
  const start = () => {
    if (started) return;
    started = true;
    callbacks.onStarted();
  };
  const end = (tell: () => void) => {
    if (ended) return;
    ended = true;
    tell();
  };
  return {
    get ended() {
      return ended;
    },
    close: () => {
      ended = true;
    },
    onStarted: () => {
      if (!ended) start();
    },
    onProgress: (progress) => {
      if (ended) return;
      const { totalBytes = 0, doneBytes = 0, totalFiles = last.totalFiles, doneFiles = last.doneFiles } = progress;
      const next = { totalBytes, doneBytes, totalFiles, doneFiles };
      const isOld = doneBytes < last.doneBytes || doneFiles < last.doneFiles;
      if (isOld || isSame(last, next)) return;
      last = next;
      start();
      callbacks.onProgress(progress);
    },
    onWarning: (text) => {
      if (!ended) callbacks.onWarning?.(text);
    },
    onCompleted: (result) => {
      if (!ended) start();
      end(() => callbacks.onCompleted(result));
    },
    onFailed: (error) => end(() => callbacks.onFailed(error)),
    onCancelled: () => end(() => callbacks.onCancelled()),
  };
}

type Counts = Required<Omit<DataPathProgress, 'limitedBy'>>;

const isSame = (a: Counts, b: Counts): boolean =>
  a.doneBytes === b.doneBytes &&
  a.totalBytes === b.totalBytes &&
  a.doneFiles === b.doneFiles &&
  a.totalFiles === b.totalFiles;
