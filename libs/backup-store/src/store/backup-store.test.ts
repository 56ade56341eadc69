import { gunzipSync, gzipSync } from 'node:zlib';
import type { Backup } from '@lateen/api-types';
import { archiveWriter } from '@lateen/archive';
import { AppError } from '@lateen/errors';
import { faultyObjectStore, memoryObjectStore } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { backupStore } from './backup-store.ts';
import { restoreStore } from './restore-store.ts';

const text = new TextDecoder();
const open = (objects: Record<string, string | Uint8Array> = {}, prefix = 'team/a') => {
  const bucket = memoryObjectStore({ objects });
  const plain = (key: string) => text.decode(gunzipSync(bucket.objects.get(key) ?? new Uint8Array()));
  return { bucket, plain, store: backupStore(bucket, prefix) };
};
const aBackup = (name = 'b1'): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name, namespace: 'velero' },
  spec: {},
});
async function* some<T>(...pieces: T[]): AsyncGenerator<T> {
  yield* pieces;
}
const at = (file: string) => `team/a/backups/b1/${file}`;

describe('velero-backup.json', () => {
  const stored = `{
  "apiVersion": "velero.io/v1",
  "kind": "Backup",
  "metadata": {
    "name": "b1",
    "annotations": {
      "a": "\\u003cb\\u003e \\u0026"
    }
  },
  "spec": {
    "later": 1.0,
    "bits": 9007199254740993
  },
  "status": {
    "phase": "Completed"
  }
}`;

  it('is stored again byte for byte, with unknown fields', async () => {
    const { store, bucket } = open({ [at('velero-backup.json')]: stored });
    const backup = await store.getBackup('b1');
    expect(backup?.metadata.annotations).toEqual({ a: '<b> &' });
    await store.putBackup(backup as Backup);
    expect(bucket.text(at('velero-backup.json'))).toBe(stored);
    expect(await store.exists('b1')).toBe(true);
  });

  it('is undefined when missing', async () => {
    const { store } = open({ [at('b1.tar.gz')]: 'x' });
    expect(await store.getBackup('b1')).toBeUndefined();
    expect(await store.exists('b1')).toBe(false);
  });

  it.each<[string, string, string]>([
    ['is no JSON', '{"kind"', 'is not JSON'],
    ['is something else', '{"kind":"Restore","metadata":{}}', 'velero-backup.json is not a Backup'],
    ['has no metadata', '{"kind":"Backup"}', 'velero-backup.json is not a Backup'],
    [
      'belongs to another backup',
      '{"kind":"Backup","metadata":{"name":"b2"}}',
      'velero-backup.json of "b1" is that of "b2"',
    ],
  ])('is rejected when it %s', async (_, body, message) => {
    const { store } = open({ [at('velero-backup.json')]: body });
    await expect(store.getBackup('b1')).rejects.toMatchObject({
      code: 'BACKUP_FILE_BROKEN',
      message: expect.stringContaining(message),
    });
  });

  it('is not read above the size limit', async () => {
    const { store } = open({ [at('velero-backup.json')]: new Uint8Array(16 * 1024 * 1024 + 1) });
    await expect(store.getBackup('b1')).rejects.toMatchObject({
      code: 'BACKUP_FILE_TOO_LARGE',
      message: 'object "team/a/backups/b1/velero-backup.json" has more than 16 MiB, the most that is read',
    });
  });
});

describe('the files of a backup', () => {
  it('are compressed and read back', async () => {
    const { store, plain } = open();
    await store.putItemOperations('b1', []);
    await store.putVolumeInfo('b1', []);
    await store.putPodVolumeBackups('b1', []);
    await store.putVolumeSnapshots('b1', []);
    await store.putResults('b1', { errors: { velero: ['x'] }, warnings: {} });
    await store.putResourceList('b1', { 'v1/Pod': ['b/b', 'a/a'], 'v1/Node': ['n'] });
    const files = [
      'itemoperations.json.gz',
      'volumeinfo.json.gz',
      'podvolumebackups.json.gz',
      'volumesnapshots.json.gz',
    ];
    expect(files.map((file) => plain(at(`b1-${file}`)))).toEqual(['null\n', 'null\n', 'null\n', 'null\n']);
    expect(plain(at('b1-results.gz'))).toBe('{"errors":{"velero":["x"]},"warnings":{}}\n');
    expect(plain(at('b1-resource-list.json.gz'))).toBe('{"v1/Node":["n"],"v1/Pod":["a/a","b/b"]}\n');
    expect(await store.getVolumeInfo('b1')).toEqual([]);
    expect(await store.getResults('b1')).toEqual({ errors: { velero: ['x'] }, warnings: {} });
    expect(await store.getResourceList('b1')).toEqual({ 'v1/Node': ['n'], 'v1/Pod': ['a/a', 'b/b'] });
  });

  it('are read as empty when they are missing; volume info as unknown', async () => {
    const { store } = open();
    expect([
      await store.getItemOperations('b1'),
      await store.getPodVolumeBackups('b1'),
      await store.getVolumeSnapshots('b1'),
      await store.getCsiVolumeSnapshots('b1'),
      await store.getCsiVolumeSnapshotContents('b1'),
      await store.getCsiVolumeSnapshotClasses('b1'),
      await Array.fromAsync(store.readItemOutcomes('b1')),
    ]).toEqual([[], [], [], [], [], [], []]);
    expect(await store.getResults('b1')).toEqual({ errors: {}, warnings: {} });
    expect(await store.getResourceList('b1')).toEqual({});
    expect(await store.getVolumeInfo('b1')).toBeUndefined();
  });

  it('are read as older versions wrote them', async () => {
    const object = '[{"kind":"VolumeSnapshot","metadata":{"name":"s"}}]';
    const { store } = open({ [at('b1-csi-volumesnapshots.json.gz')]: gzipSync(object) });
    expect(await store.getCsiVolumeSnapshots('b1')).toEqual([{ kind: 'VolumeSnapshot', metadata: { name: 's' } }]);
  });

  it('are named in the error when damaged, and decompressed only up to a limit', async () => {
    const packed = gzipSync('null');
    const { store } = open({
      [at('b1-results.gz')]: packed.subarray(0, packed.length - 4),
      [at('b1-volumeinfo.json.gz')]: gzipSync('{}'),
      [at('b1-resource-list.json.gz')]: gzipSync(Buffer.alloc(129 * 1024 * 1024)),
    });
    await expect(store.getResults('b1')).rejects.toMatchObject({
      code: 'BACKUP_FILE_BROKEN',
      message: 'object "team/a/backups/b1/b1-results.gz" is damaged or incomplete: it cannot be unpacked',
    });
    await expect(store.getVolumeInfo('b1')).rejects.toMatchObject({
      message: 'object "team/a/backups/b1/b1-volumeinfo.json.gz" is damaged: the volume info is not a list',
    });
    await expect(store.getResourceList('b1')).rejects.toMatchObject({ code: 'BACKUP_FILE_TOO_LARGE' });
  });

  it('report a failed store instead of a missing file', async () => {
    const reason = new AppError('OBJECT_STORE_UNAVAILABLE', 'no network');
    const store = backupStore(faultyObjectStore(memoryObjectStore(), [{ on: 'read', fault: { fail: reason } }]), '');
    await expect(store.getVolumeInfo('b1')).rejects.toBe(reason);
    await expect(store.getBackup('b1')).rejects.toBe(reason);
    await expect(Array.fromAsync(store.readItemOutcomes('b1'))).rejects.toBe(reason);
  });

  it.each(['', '..', 'a/b', 'B', 'a b', 'x'.repeat(254)])('are not read under the invalid name %j', async (name) => {
    const { store, bucket } = open({ 'team/a/backups/x/velero-backup.json': '{}' });
    const refused = { code: 'BACKUP_NAME_INVALID' };
    await expect(store.deleteBackup(name)).rejects.toMatchObject(refused);
    await expect(store.getBackup(name)).rejects.toMatchObject(refused);
    await expect(store.putBackup(aBackup(name))).rejects.toMatchObject(refused);
    await expect(store.writeArchive(name, some(new Uint8Array()))).rejects.toMatchObject(refused);
    expect(() => store.readArchive(name)).toThrow(expect.objectContaining(refused));
    expect(bucket.objects.size).toBe(1);
  });
});

describe('streams', () => {
  it('store the archive while it is created, and return it', async () => {
    const { store } = open();
    const writer = archiveWriter({ mtimeMs: 0 });
    const stored = store.writeArchive('b1', writer.pieces);
    await writer.add('resources/pods/namespaces/a/b.json', '{}');
    await writer.end();
    await stored;
    const tar = gunzipSync(Buffer.concat(await Array.fromAsync(store.readArchive('b1'))));
    expect(tar.length).toBe(writer.tarBytes);
  });

  it('release the writer of an archive when the store fails before it begins', async () => {
    const reason = new AppError('OBJECT_STORE_FORBIDDEN', 'no');
    const bucket = faultyObjectStore(memoryObjectStore(), [{ on: 'write', fault: { fail: reason } }]);
    const writer = archiveWriter({ mtimeMs: 0 });
    await expect(backupStore(bucket, '').writeArchive('b1', writer.pieces)).rejects.toBe(reason);
    await expect(writer.end()).rejects.toMatchObject({ code: 'ARCHIVE_READER_GONE' });
  });

  it('leave no archive when its writer is aborted', async () => {
    const { store, bucket } = open();
    const writer = archiveWriter({ mtimeMs: 0 });
    const stored = store.writeArchive('b1', writer.pieces);
    void writer.add('a', 'x');
    writer.abort(new Error('canceled'));
    await expect(stored).rejects.toThrow('canceled');
    expect(bucket.objects.size).toBe(0);
  });

  it('compress the log and the item outcomes on the way', async () => {
    const { store, plain } = open();
    await store.putLog('b1', some<string | Uint8Array>('time=1\n', Buffer.from('time=2\n')));
    expect(plain(at('b1-logs.gz'))).toBe('time=1\ntime=2\n');
    const outcome = { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'b', outcome: 'BackedUp' } as const;
    const failed = { ...outcome, name: 'c', outcome: 'Failed', reason: 'gone', by: 'velero.io/pod' } as const;
    await store.writeItemOutcomes(
      'b1',
      [outcome, failed].map((each) => JSON.stringify(each)),
    );
    expect(plain(at('b1-item-outcomes.json.gz')).split('\n')).toHaveLength(3);
    expect(await Array.fromAsync(store.readItemOutcomes('b1'))).toEqual([outcome, failed]);
  });

  it('reject invalid item outcomes', async () => {
    const { store } = open({ [at('b1-item-outcomes.json.gz')]: gzipSync('{"kind":"Pod"}\n') });
    await expect(Array.fromAsync(store.readItemOutcomes('b1'))).rejects.toMatchObject({ code: 'BACKUP_FILE_BROKEN' });
  });
});

describe('the directory of all backups', () => {
  it('lists only valid names of backups', async () => {
    const { store } = open({
      'team/a/backups/b2/velero-backup.json': '{}',
      'team/a/backups/b1/b1-logs.gz': '',
      'team/a/backups/Not A Name/x': '',
      'team/a/restores/r1/x': '',
      'backups/other/x': '',
    });
    expect(await store.listBackups()).toEqual(['b1', 'b2']);
  });
});

describe('deleteBackup', () => {
  const objects = () => ({
    ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [at(`x/${index}`), ''])),
    [at('velero-backup.json')]: '{}',
    [at('b1.tar.gz')]: '',
    'team/a/backups/b1-other/velero-backup.json': '{}',
  });

  it('deletes everything of the backup and nothing else, the Backup object last', async () => {
    const bucket = memoryObjectStore({ objects: objects() });
    const seen = faultyObjectStore(bucket);
    await backupStore(seen, 'team/a').deleteBackup('b1');
    expect([...bucket.objects.keys()]).toEqual(['team/a/backups/b1-other/velero-backup.json']);
    expect(seen.calls.at(-1)).toEqual({ operation: 'delete', key: at('velero-backup.json') });
    await backupStore(seen, 'team/a').deleteBackup('b1');
  });

  it('keeps the given file', async () => {
    const bucket = memoryObjectStore({ objects: { ...objects(), [at('b1-volumesnapshots.json.gz')]: '' } });
    await backupStore(bucket, 'team/a').deleteBackup('b1', { keep: 'volumeSnapshots' });
    expect([...bucket.objects.keys()].sort()).toEqual([
      'team/a/backups/b1-other/velero-backup.json',
      at('b1-volumesnapshots.json.gz'),
    ]);
  });

  it.each([
    ['a delete fails', { on: 'delete' as const, about: 'b1.tar.gz', times: 1, fault: { fail: new Error('no') } }],
    ['the listing ends early', { on: 'list' as const, times: 1, fault: { cutAfter: 20, error: new Error('no') } }],
  ])('keeps the Backup object when %s, and continues at the next call', async (_, fault) => {
    const bucket = memoryObjectStore({ objects: objects() });
    const store = backupStore(faultyObjectStore(bucket, [fault]), 'team/a');
    await expect(store.deleteBackup('b1')).rejects.toThrow('no');
    expect(await store.exists('b1')).toBe(true);
    await store.deleteBackup('b1');
    expect(bucket.objects.size).toBe(1);
  });
});

describe('endAbandonedWrites', () => {
  it('aborts uploads that a dead process left, of all files of the backup and of no other', async () => {
    const { store, bucket } = open();
    const half = [at('b1.tar.gz'), at('b1-logs.gz'), at('b1-item-outcomes.json.gz')];
    for (const key of [...half, 'team/a/backups/b2/b2.tar.gz']) bucket.abandonWrite(key);
    expect(await store.endAbandonedWrites('b1')).toBe(3);
    expect(bucket.unfinishedWrites()).toEqual(['team/a/backups/b2/b2.tar.gz']);
  });
});

describe('restoreStore', () => {
  it.each([
    ['item-outcomes', '{"apiVersion":"v1","kind":"Pod","name":"b","act":"explode"}'],
    ['item-outcomes', '{"earlier":"a","later":"b","why":"needs"}'],
    ['plan', '[]'],
    ['plan', '{"earlier":"a"}'],
  ])('rejects an invalid line of %s: %s', async (file, line) => {
    const objects = { [`restores/r1/restore-r1-${file}.json.gz`]: gzipSync(`${line}\n`) };
    const store = restoreStore(memoryObjectStore({ objects }), '');
    const lines: AsyncGenerator<unknown> = file === 'plan' ? store.readPlan('r1') : store.readItemOutcomes('r1');
    await expect(Array.fromAsync(lines)).rejects.toMatchObject({ code: 'BACKUP_FILE_BROKEN' });
  });

  it('keeps the files of a restore under their names, and deletes them', async () => {
    const bucket = memoryObjectStore({ objects: { 'p/restores/r2/x': '' } });
    const store = restoreStore(bucket, 'p');
    await store.putLog('r1', some('x'));
    await store.putResults('r1', { errors: {}, warnings: {} });
    await store.putResourceList('r1', { 'v1/Pod': ['a/b(created)'] });
    await store.putItemOperations('r1', []);
    await store.putVolumeInfo('r1', []);
    const outcome = { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'b', act: 'create' } as const;
    await store.putItemOutcomes('r1', [outcome]);
    const edge = { earlier: 'namespace a is there', later: 'pods a/b', why: 'namespace' };
    await store.putPlan('r1', [outcome, edge]);
    expect([...bucket.objects.keys()].sort()).toEqual([
      'p/restores/r1/r1-volumeinfo.json.gz',
      'p/restores/r1/restore-r1-item-outcomes.json.gz',
      'p/restores/r1/restore-r1-itemoperations.json.gz',
      'p/restores/r1/restore-r1-logs.gz',
      'p/restores/r1/restore-r1-plan.json.gz',
      'p/restores/r1/restore-r1-resource-list.json.gz',
      'p/restores/r1/restore-r1-results.gz',
      'p/restores/r2/x',
    ]);
    expect(await store.getResourceList('r1')).toEqual({ 'v1/Pod': ['a/b(created)'] });
    expect(await store.getItemOperations('r1')).toEqual([]);
    expect(await store.getResults('r1')).toEqual({ errors: {}, warnings: {} });
    expect(await Array.fromAsync(store.readItemOutcomes('r1'))).toEqual([outcome]);
    expect(await Array.fromAsync(store.readPlan('r1'))).toEqual([outcome, edge]);
    expect(await Array.fromAsync(store.readPlan('r2'))).toEqual([]);
    await store.deleteRestore('r1');
    expect([...bucket.objects.keys()]).toEqual(['p/restores/r2/x']);
  });
});
