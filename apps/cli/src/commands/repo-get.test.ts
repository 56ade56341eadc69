import type { KubeObject } from '@lateen/api-types';
import { aBackupRepository, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';

async function get(objects: KubeObject[], ...words: string[]): Promise<string> {
  const written: string[] = [];
  const context = {
    clock: new FakeClock(),
    random: seededRandom(),
    stdout: { write: (text: string) => written.push(text) },
    stderr: { write: () => {} },
    signal: new AbortController().signal,
    connect: () => Promise.resolve(fakeCluster({ objects })),
  };
  await buildProgram(context, {}).parseAsync(['repo', 'get', ...words], { from: 'user' });
  return written.join('');
}

const cells = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

const ready = aBackupRepository({
  name: 'shop-default-kopia',
  labels: { 'velero.io/storage-location': 'default' },
  status: { lastMaintenanceTime: '2030-01-01T10:00:00Z' },
});
const broken = aBackupRepository({
  name: 'mail-offsite-restic',
  labels: { 'velero.io/storage-location': 'offsite' },
  phase: 'NotReady',
  spec: { volumeNamespace: 'mail', backupStorageLocation: 'offsite', repositoryType: 'restic' },
  status: { message: 'the password\nis wrong\u001b[2J.' },
});
const fresh = aBackupRepository({ name: 'zoo-default-kopia', phase: undefined });

describe('lateen repo get', () => {
  it('has the reference’s columns: New without a phase, <never> without maintenance', async () => {
    expect(cells(await get([ready, broken, fresh]))).toEqual([
      ['NAME', 'STATUS', 'LAST MAINTENANCE'],
      ['mail-offsite-restic', 'NotReady', '<never>'],
      ['shop-default-kopia', 'Ready', '2030-01-01T10:00:00Z'],
      ['zoo-default-kopia', 'New', '<never>'],
    ]);
  });
  it('adds with -o wide what the repository is of, and its message on one line without control characters', async () => {
    expect(cells(await get([broken], '-o', 'wide'))).toEqual([
      ['NAME', 'STATUS', 'LAST MAINTENANCE', 'VOLUME NAMESPACE', 'LOCATION', 'TYPE', 'MESSAGE'],
      ['mail-offsite-restic', 'NotReady', '<never>', 'mail', 'offsite', 'restic', 'the password is wrong[2J.'],
    ]);
  });
  it('selects by labels and by names, in both forms, each once', async () => {
    const names = async (...words: string[]) => (await get([ready, broken], '-o', 'name', ...words)).trim().split('\n');
    expect(await names('-l', 'velero.io/storage-location=offsite')).toEqual(['backuprepository/mail-offsite-restic']);
    expect(await names('shop-default-kopia', 'backuprepository/shop-default-kopia')).toEqual([
      'backuprepository/shop-default-kopia',
    ]);
  });
  it('prints one that is named as an object, several as a list', async () => {
    expect(JSON.parse(await get([ready], 'shop-default-kopia', '-o', 'json'))).toMatchObject({
      kind: 'BackupRepository',
      metadata: { name: 'shop-default-kopia' },
    });
    expect(load(await get([ready], '-o', 'yaml'))).toMatchObject({
      kind: 'List',
      items: [{ kind: 'BackupRepository' }],
    });
  });
  it('says in words that there are none', async () => {
    expect(await get([])).toBe('There are no backup repositories.\n');
  });
  it.each([
    [['gone'], 'NO_SUCH_REPOSITORY', 'there is no backup repository "gone" in namespace velero'],
    [['../secrets'], 'BAD_ARGUMENT', '"../secrets" does not name a backup repository'],
    [['pod/shop'], 'BAD_ARGUMENT', '"pod/shop" does not name a backup repository'],
    [[''], 'BAD_ARGUMENT', '"" does not name a backup repository'],
    [['a\u0000b'], 'BAD_ARGUMENT', '"a\\u0000b" does not name a backup repository'],
    [['a'.repeat(254)], 'BAD_ARGUMENT', 'does not name a backup repository'],
    [['shop', '-l', 'a=b'], 'BAD_FLAG', 'which repositories is said twice'],
    [['-o', 'xml'], 'BAD_FLAG', '--output "xml" is not a format'],
  ])('refuses %j', async (words, code, message) => {
    await expect(get([ready], ...words)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
