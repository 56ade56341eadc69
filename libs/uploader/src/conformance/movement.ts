import type { DataPathProgress, DownloadResult, UploadResult, VolumeMode } from '@lateen/datapath';
import { describeError } from '@lateen/errors';
import { expect } from 'vitest';
import type { EngineUnderTest, OpenedWrongly, RepositoryUnderTest } from './engine-under-test.ts';

export interface Moving {
  mode?: VolumeMode;
  config?: Record<string, string>;
  signal?: AbortSignal;
  onProgress?: (progress: DataPathProgress) => void;
  onWarning?: (text: string) => void;
  wrongly?: OpenedWrongly;
}

/** One repository in one case: moves volumes in and out, and keeps every error for the check at the end. */
export interface Movement {
  repository: RepositoryUnderTest;
  upload(volumePath: string, moving?: Moving): Promise<UploadResult>;
  download(snapshotID: string, volumePath: string, moving?: Moving): Promise<DownloadResult>;
}

/**
 * A case of the suite: runs `work` on a new repository, and checks afterwards, whatever the result was, that no lock is left in
 * the repository and that no secret is in any error or log line.
 */
export function caseOf(engine: EngineUnderTest, work: (movement: Movement) => Promise<void>): () => Promise<void> {
  return async () => {
    const repository = await engine.repository();
    const errors: string[] = [];
    const noted = async <T>(moved: Promise<T>): Promise<T> => {
      try {
        return await moved;
      } catch (error) {
        errors.push(describeError(error));
        throw error;
      }
    };
    await work(movementOf(repository, noted));
    expect(await repository.locks()).toEqual([]);
    const told = `${errors.join('\n')}\n${repository.said()}`;
    for (const secret of repository.secrets) expect(told.includes(secret)).toBe(false);
  };
}

function movementOf(repository: RepositoryUnderTest, noted: <T>(moved: Promise<T>) => Promise<T>): Movement {
  const request = (volumePath: string, moving: Moving) => ({
    volumePath,
    volumeMode: moving.mode ?? ('Filesystem' as const),
    config: moving.config ?? {},
    onProgress: moving.onProgress ?? (() => {}),
    onWarning: moving.onWarning ?? (() => {}),
    signal: moving.signal ?? new AbortController().signal,
  });
  return {
    repository,
    upload: (volumePath, moving = {}) =>
      noted(
        repository.use(
          (uploader) => uploader.upload({ ...request(volumePath, moving), source: repository.source }),
          moving.wrongly,
        ),
      ),
    download: (snapshotID, volumePath, moving = {}) =>
      noted(
        repository.use((uploader) => uploader.download({ ...request(volumePath, moving), snapshotID }), moving.wrongly),
      ),
  };
}
