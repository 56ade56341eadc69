import { randomBytes } from 'node:crypto';
import type { DataPathProgress } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import type { BlockChanges, BlockSplice, SpliceVolume } from './block-splice.ts';
import { MemoryDevice } from './memory-device.ts';
import { splicedUpload } from './spliced-upload.ts';

const changes: BlockChanges = {
  kind: 'changes',
  baseID: 'base',
  chunkBytes: 512,
  changed: [{ offset: 600, length: 10 }],
};
const source = { path: 'p', tags: {} };

/** Reads the one changed chunk. */
async function splice({ read, onProgress }: SpliceVolume) {
  onProgress({ changedBytes: 512, readBytes: 0 });
  await read(Buffer.alloc(512), 512);
  onProgress({ changedBytes: 512, readBytes: 512 });
  return { snapshotID: 'new', readBytes: 512, changedBytes: 512, uploadedBytes: 0 };
}

const policy = { splitter: 'FIXED-4M', isUsed: true };

function rig(
  parts: Partial<BlockSplice> | undefined,
  signal = new AbortController().signal,
  config: Record<string, string> = {},
) {
  const device = new MemoryDevice(randomBytes(2048));
  const log = recordingLog();
  const warnings: string[] = [];
  const progress: DataPathProgress[] = [];
  const blockSplice = parts === undefined ? undefined : { changesOf: async () => changes, splice, ...parts };
  const options = { block: { devices: device.devices() }, blockSplice, log } as unknown as KopiaUploaderOptions;
  const upload = splicedUpload(
    options,
    {
      volumePath: '/uid',
      volumeMode: 'Block',
      source,
      config,
      onProgress: (each) => progress.push(each),
      onWarning: (text) => warnings.push(text),
      signal,
    },
    policy,
  );
  return { device, progress, log, warnings, upload };
}

describe('a block volume with known changes', () => {
  it('is read only where it has changed, and progress counts the rest as done', async () => {
    const { device, progress, upload } = rig({});
    expect(await upload).toEqual({
      kind: 'spliced',
      result: {
        snapshotID: 'new',
        totalBytes: 2048,
        incrementalBytes: 512,
        readReport: { readBytes: 512, changedBytes: 512, uploadedBytes: 0 },
      },
    });
    expect(device.reads).toEqual([{ start: 512, end: 1024 }]);
    expect(progress.map(({ doneBytes }) => doneBytes)).toEqual([1536, 2048, 2048]);
    expect(device.closed).toBe(true);
  });

  it('reports how much of the unchanged part was verified', async () => {
    const chosen: unknown[] = [];
    const chunksToVerify = (since: number) => [since];
    const { upload } = rig({
      changesOf: async () => ({ ...changes, chunksToVerify }),
      splice: async (volume) => {
        chosen.push(volume.chunksToVerify?.(3));
        return { ...(await splice(volume)), verifiedBytes: 1024 };
      },
    });
    expect(await upload).toMatchObject({ result: { incrementalBytes: 512, readReport: { verifiedBytes: 1024 } } });
    expect(chosen).toEqual([[3]]);
  });

  it('is read completely, with a warning, when a verification finds other bytes', async () => {
    const reason = 'base snapshot differs from the volume';
    const differs = new AppError('BASE_SNAPSHOT_UNUSABLE', reason, { details: { reason, offset: 1536 } });
    const { upload, log, warnings } = rig({ splice: () => Promise.reject(differs) });
    expect(await upload).toEqual({ kind: 'full', reason, differsAt: 1536 });
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ fields: expect.objectContaining({ offset: 1536 }) }),
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^The verification has failed: .* from offset 1536 on, /)]);
  });

  it('passes source, size and policy, and the name of the device', async () => {
    const seen: unknown[] = [];
    const { upload } = rig({
      changesOf: async ({ signal, ...volume }) => {
        seen.push(volume);
        return changes;
      },
      splice: async ({ read, onProgress, signal, ...volume }) => {
        seen.push(volume);
        return { snapshotID: 'new', readBytes: 0, changedBytes: 0, uploadedBytes: 0 };
      },
    });
    await upload;
    expect(seen).toEqual([
      { source, sizeBytes: 2048, ...policy, skipsUnused: true },
      { baseID: 'base', chunkBytes: 512, changed: changes.changed, source, sizeBytes: 2048, fileName: '/uid' },
    ]);
  });

  it('makes no request for blocks with data when all are to be read', async () => {
    const asked: boolean[] = [];
    const changesOf: BlockSplice['changesOf'] = async ({ skipsUnused }) => {
      asked.push(skipsUnused);
      return changes;
    };
    await rig({ changesOf }, undefined, { SkipUnusedBlocks: 'false' }).upload;
    expect(asked).toEqual([false]);
  });

  it('is read completely when the changes are unknown', async () => {
    const full = { kind: 'full', reason: 'volume grew' } as const;
    const { device, upload } = rig({ changesOf: async () => full });
    expect(await upload).toBe(full);
    expect(device.closed).toBe(true);
    expect(await rig(undefined).upload).toBeUndefined();
  });

  it.each([
    [
      'its base cannot be used',
      new AppError('BASE_SNAPSHOT_UNUSABLE', 'base snapshot gone: 12ab', { details: { reason: 'base snapshot gone' } }),
      'base snapshot gone',
    ],
    ['there is no session', new AppError('REPOSITORY_SESSION_LOST', 'the session is lost'), 'the session is lost'],
  ])('is read completely when %s, and the reason is reported', async (_, error, reason) => {
    const { device, log, upload } = rig({ splice: () => Promise.reject(error) });
    expect(await upload).toEqual({ kind: 'full', reason });
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { err: error } }]);
    expect(device.closed).toBe(true);
  });

  it('fails when it cannot be read, or the store fails', async () => {
    const full = new AppError('OBJECT_STORE_FULL', 'full');
    const { device, upload } = rig({ splice: () => Promise.reject(full) });
    await expect(upload).rejects.toBe(full);
    expect(device.closed).toBe(true);
  });

  it('is not read completely after an abort', async () => {
    const stop = new AbortController();
    const unusable = () => {
      stop.abort(new Error('told to stop'));
      return Promise.reject(new AppError('BASE_SNAPSHOT_UNUSABLE', 'gone'));
    };
    await expect(rig({ splice: unusable }, stop.signal).upload).rejects.toThrow('told to stop');
  });
});
