import { AppError } from '@lateen/errors';
import type { DirectRestore } from '@lateen/kopia-restore';
import { describe, expect, it } from 'vitest';
import { chooseWay } from './choose-way.ts';

const direct = { name: 'opened' } as DirectRestore;
const request = (config: Record<string, string> = {}) => ({
  snapshotID: '0'.repeat(32),
  volumePath: '/uid',
  volumeMode: 'Filesystem' as const,
  config,
  onProgress: () => {},
  signal: new AbortController().signal,
});
const failing = (code: string) => async () => {
  throw new AppError(code, `the reader says ${code}`);
};

describe('the restore path', () => {
  it('reads packs directly where the reader supports the repository', async () => {
    expect(await chooseWay({ openDirect: async () => direct }, request())).toEqual({ direct });
  });

  it('uses the engine, with the reason, where the configuration or the repository format requires it', async () => {
    const openDirect = async () => expect.unreachable();
    expect(await chooseWay({ openDirect }, request({ DirectRestore: 'False' }))).toEqual({
      direct: undefined,
      reason: 'DirectRestore is "false"',
    });
    expect(await chooseWay({ openDirect: failing('REPOSITORY_FORMAT_UNSUPPORTED') }, request())).toEqual({
      direct: undefined,
      reason: 'the reader says REPOSITORY_FORMAT_UNSUPPORTED',
    });
    expect(await chooseWay({}, request())).toEqual({ direct: undefined, reason: undefined });
  });

  it.each(['REPOSITORY_PASSWORD_WRONG', 'REPOSITORY_NOT_FOUND', 'OBJECT_STORE_UNAVAILABLE'])(
    'fails where the engine would fail as well (%s)',
    async (code) => {
      await expect(chooseWay({ openDirect: failing(code) }, request())).rejects.toMatchObject({ code });
    },
  );
});
