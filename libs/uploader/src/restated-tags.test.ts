import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { FakeClock, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
import { restatedFromMs, withRestatedTags } from './restated-tags.ts';

const source = { path: 'p', tags: { 'snapshot-uploader': 'kopia' } };
const request = { source } as unknown as UploadRequest;
const uploaded: UploadResult = { snapshotID: 'old', totalBytes: 1, incrementalBytes: 1 };

/** An upload that takes `ms`. */
function restating(ms: number, restateTags: KopiaUploaderOptions['restateTags'], lookup = 0) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const log = recordingLog();
  const runs: string[] = [];
  const session = {
    run: async (args: readonly string[]) => {
      runs.push(args.join(' '));
      return { exitCode: lookup };
    },
    failure: (_: unknown, doing: string) => new AppError('SNAPSHOT_NOT_FOUND', doing),
  };
  const options = { clock, log, restateTags, session } as unknown as KopiaUploaderOptions;
  const upload = async () => {
    await clock.advance(ms);
    return uploaded;
  };
  return { runs, log, result: withRestatedTags(options, request, upload) };
}

const renewed = async () => 'new';
const lost = () => Promise.reject(new AppError('REPOSITORY_SESSION_LOST', 'lost'));

describe('the tags of a snapshot after its upload', () => {
  it('are stored again after a long upload, and the snapshot has a new ID', async () => {
    const asked: unknown[] = [];
    const restate: KopiaUploaderOptions['restateTags'] = async ({ snapshotID, source }) => {
      asked.push({ snapshotID, source });
      return 'new';
    };
    expect(await restating(restatedFromMs, restate).result).toEqual({ ...uploaded, snapshotID: 'new' });
    expect(asked).toEqual([{ snapshotID: 'old', source }]);
  });

  it('stay unchanged after a short upload, and without a session', async () => {
    expect(await restating(restatedFromMs - 1, renewed).result).toBe(uploaded);
    expect(await restating(restatedFromMs, undefined).result).toBe(uploaded);
  });

  it('stay unchanged when a session is lost, and the snapshot is looked up under its old ID', async () => {
    const { result, runs, log } = restating(restatedFromMs, lost);
    expect(await result).toBe(uploaded);
    expect(runs).toEqual(['manifest show old']);
    expect(JSON.stringify(log)).toContain('Velero does not look for');
  });

  it('fail when the snapshot is not found under its old ID either', async () => {
    await expect(restating(restatedFromMs, lost, 1).result).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
  });
});
