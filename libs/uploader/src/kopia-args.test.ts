import type { DownloadRequest, UploadRequest } from '@lateen/datapath';
import { describe, expect, it } from 'vitest';
import { downloadArgs, uploadArgs } from './kopia-args.ts';

const upload = (config: Record<string, string>) =>
  ({ volumePath: '/v', volumeMode: 'Filesystem', source: { path: 'p', tags: {} }, config }) as unknown as UploadRequest;
const download = (config: Record<string, string>) =>
  ({ volumePath: '/v', volumeMode: 'Filesystem', snapshotID: 's', config }) as unknown as DownloadRequest;
const parallel = (args: readonly string[]) => args.filter((arg) => arg.startsWith('--parallel='));

describe('limits of an engine', () => {
  it.each([
    ['as many files as the budget allows', {}, { parallelFiles: 3 }, 3],
    ['as many as configured', { ParallelFilesUpload: '9', ParallelFilesDownload: '9' }, { parallelFiles: 3 }, 9],
    [
      'as configured where memory allows it',
      { ParallelFilesUpload: '9', ParallelFilesDownload: '9' },
      { parallelFiles: 3, parallelMax: 20 },
      9,
    ],
    [
      'fewer than configured when memory does not allow it',
      { ParallelFilesUpload: '9', ParallelFilesDownload: '9' },
      { parallelFiles: 3, parallelMax: 2 },
      2,
    ],
    ['fewer than the budget allows when memory is too small', {}, { parallelFiles: 8, parallelMax: 1 }, 1],
  ])('%s', (_, config, budget, files) => {
    expect(parallel(uploadArgs(upload(config), budget, []))).toEqual([`--parallel=${files}`]);
    expect(parallel(downloadArgs(download(config), budget))).toEqual([`--parallel=${files}`]);
  });
  it('the checkpoint interval is passed only when it is set', () => {
    const checkpoints = (budget: Parameters<typeof uploadArgs>[1]) =>
      uploadArgs(upload({}), budget, []).filter((arg) => arg.startsWith('--checkpoint-interval'));
    expect(checkpoints({ parallelFiles: 1 })).toEqual([]);
    expect(checkpoints({ parallelFiles: 1, checkpointSeconds: 25 })).toEqual(['--checkpoint-interval=25s']);
  });
});

it.each([
  [{}, []],
  [{ ReadUnchangedFiles: 'false' }, []],
  [{ ReadUnchangedFiles: 'true' }, ['--force-hash=100']],
])('flags for unchanged files with %j', (config, expected) => {
  const flags = uploadArgs(upload(config as Record<string, string>), { parallelFiles: 1 }, []);
  expect(flags.filter((flag) => flag.startsWith('--force-hash'))).toEqual(expected);
});

it.each([
  [{}, []],
  [{ SkipUnchangedFiles: 'false', DeleteExtraFiles: 'false' }, []],
  [{ SkipUnchangedFiles: 'true' }, ['--skip-existing']],
  [{ DeleteExtraFiles: 'true' }, ['--delete-extra']],
])('flags for existing files with %j', (config, expected) => {
  const flags = downloadArgs(download(config as Record<string, string>), { parallelFiles: 1 });
  expect(flags.filter((flag) => ['--skip-existing', '--delete-extra'].includes(flag))).toEqual(expected);
});
