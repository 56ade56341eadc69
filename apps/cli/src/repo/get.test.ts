import type { KubeObject } from '@lateen/api-types';
import { aBackupRepository, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';

const get = (objects: KubeObject[], ...words: string[]): Promise<string> => run(objects, {}, 'get', ...words);

async function run(
  objects: KubeObject[],
  { remarks = [] }: { remarks?: string[] },
  ...words: string[]
): Promise<string> {
  const written: string[] = [];
  const context = {
    clock: new FakeClock(),
    random: seededRandom(),
    stdout: { write: (text: string) => written.push(text) },
    stderr: { write: (text: string) => remarks.push(text) },
    signal: new AbortController().signal,
    connect: () => Promise.resolve(fakeCluster({ objects })),
  };
  await buildProgram(context, {}).parseAsync(['repo', ...words], { from: 'user' });
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
  it('has Velero’s columns: New without a phase, <never> without maintenance', async () => {
    expect(cells(await get([ready, broken, fresh]))).toEqual([
      ['NAME', 'STATUS', 'LAST MAINTENANCE'],
      ['mail-offsite-restic', 'NotReady', '<never>'],
      ['shop-default-kopia', 'Ready', '2030-01-01T10:00:00Z'],
      ['zoo-default-kopia', 'New', '<never>'],
    ]);
  });
  it('adds with -o wide the volume namespace, location and type, and the message on one line without control characters', async () => {
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
  it('prints a named one as an object, and several as a list', async () => {
    expect(JSON.parse(await get([ready], 'shop-default-kopia', '-o', 'json'))).toMatchObject({
      kind: 'BackupRepository',
      metadata: { name: 'shop-default-kopia' },
    });
    expect(load(await get([ready], '-o', 'yaml'))).toMatchObject({
      kind: 'List',
      items: [{ kind: 'BackupRepository' }],
    });
  });
  it('shows labels as columns, or all of them', async () => {
    const text = await get([broken, fresh], '-L', 'velero.io/storage-location', '--show-labels');
    expect(cells(text).map((row) => row.slice(-2))).toEqual([
      ['STORAGE-LOCATION', 'LABELS'],
      ['offsite', expect.stringContaining('velero.io/storage-location=offsite')],
      ['default', expect.stringContaining('velero.io/repository-type=kopia')],
    ]);
    await expect(get([broken], '-L', 'a,')).rejects.toMatchObject({ code: 'BAD_FLAG' });
  });
  it('prints a text when there are none, in the table format', async () => {
    const remarks: string[] = [];
    expect(cells(await run([], { remarks }, 'get'))).toEqual([['NAME', 'STATUS', 'LAST MAINTENANCE']]);
    expect(remarks).toEqual(['There are no backup repositories.\n']);
    expect(JSON.parse(await get([], '-o', 'json'))).toMatchObject({ kind: 'List', items: [] });
  });
  it.each([
    [['gone'], 'NO_SUCH_REPOSITORY', 'there is no backup repository "gone" in namespace velero'],
    [['../secrets'], 'BAD_ARGUMENT', '"../secrets" does not name a backup repository'],
    [['pod/shop'], 'BAD_ARGUMENT', '"pod/shop" does not name a backup repository'],
    [[''], 'BAD_ARGUMENT', '"" does not name a backup repository'],
    [['a\u0000b'], 'BAD_ARGUMENT', '"a\\u0000b" does not name a backup repository'],
    [['a'.repeat(254)], 'BAD_ARGUMENT', 'does not name a backup repository'],
    [['shop', '-l', 'a=b'], 'BAD_FLAG', 'names and --selector cannot be combined'],
    [['-o', 'xml'], 'BAD_FLAG', '--output "xml" is not a format'],
  ])('rejects %j', async (words, code, message) => {
    await expect(get([ready], ...words)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe('lateen repo describe', () => {
  const maintained = aBackupRepository({
    name: 'shop-default-kopia',
    uid: 'shop',
    spec: { volumeNamespace: 'shop', repositoryConfig: { cacheLimitMB: '2048' } },
    status: {
      lastMaintenanceTime: '2029-12-31T23:00:42Z',
      recentMaintenance: [
        { result: 'Failed', startTimestamp: '2029-12-31T22:00:00Z', message: 'bucket\naway' },
        {
          result: 'Succeeded',
          startTimestamp: '2029-12-31T23:00:00Z',
          completeTimestamp: '2029-12-31T23:00:42Z',
        },
      ],
    },
  });
  const job = (name: string, status: object): KubeObject =>
    ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace: 'velero', labels: { 'velero.io/repo-name': 'shop-default-kopia' } },
      spec: { template: { spec: { containers: [] } } },
      status,
    }) as KubeObject;
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'velero' },
    involvedObject: { kind: 'BackupRepository', namespace: 'velero', name: 'shop-default-kopia' },
    type: 'Warning',
    reason: 'MaintenanceFailed',
    message: 'the bucket is away',
    lastTimestamp: '2029-12-31T23:59:50Z',
  } as KubeObject;

  it('shows state, settings, recent maintenance, Jobs and Events', async () => {
    const failed = {
      startTime: '2029-12-31T22:00:00Z',
      conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }],
    };
    const jobs = [job('running', { startTime: '2029-12-31T23:30:00Z' }), job('ended', failed)];
    const text = await run([maintained, ...jobs, event], {}, 'describe', 'shop-default-kopia');
    expect(text).toMatch(/^Settings: +cacheLimitMB=2048$/m);
    expect(text).toMatch(/^Last maintenance: +2029-12-31T23:00:42Z$/m);
    const rows = text.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(rows).toEqual(
      expect.arrayContaining([
        ['2029-12-31T23:00:00Z', '42s', 'Succeeded'],
        ['2029-12-31T22:00:00Z', 'Failed', 'bucket away'],
        ['running', '2029-12-31T23:30:00Z', 'running'],
        ['ended', '2029-12-31T22:00:00Z', 'Failed: DeadlineExceeded'],
        ['10s ago', 'Warning', 'MaintenanceFailed', 'the bucket is away'],
      ]),
    );
  });
  it('omits what does not exist', async () => {
    const text = await run([fresh], {}, 'describe');
    expect(text).toContain('Recent maintenance: none\n\nJobs: none\n\nEvents: none\n');
    expect(text).not.toMatch(/^(Message|Settings|Identifier):/m);
  });
});
