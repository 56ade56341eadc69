import { expect, it } from 'vitest';
import { FakeDisk } from '../fake-machine/fake-disk.ts';
import { fakeFiles } from '../fake-machine/fake-files.ts';
import { hostileIds } from '../fake-machine/hostile-ids.ts';
import { RecordStore } from './record-store.ts';
import type { VolumeRecord } from './records.ts';
import { statePaths } from './state-paths.ts';

const id = 'vol-12345678-0123456789abcdef0123456789abcdef';
const volume: VolumeRecord = { kind: 'volume', id, name: 'n', state: 'ready', createdAtMs: 1, capacityBytes: 4096 };
const paths = statePaths('/state');

it('returns stored records after a restart, and no removed ones', async () => {
  const files = fakeFiles(new FakeDisk());
  const before = await RecordStore.open(files, paths);
  const other = { ...volume, id: id.replace('0', 'f') };
  await before.put(volume);
  await before.put(other);
  await before.remove(other.id);
  const after = await RecordStore.open(files, paths);
  expect(after.all()).toEqual([volume]);
});

it('ignores a broken record: other records work, its ID returns the reason, and its file stays', async () => {
  const disk = new FakeDisk();
  const files = fakeFiles(disk);
  await (await RecordStore.open(files, paths)).put(volume);
  const brokenId = id.replace('0', 'f');
  await files.writeDurably(paths.record(brokenId), '{"half');
  const store = await RecordStore.open(files, paths);
  expect(store.volume(id)).toEqual(volume);
  expect(store.unreadable).toEqual([{ id: brokenId, reason: 'it is not JSON' }]);
  expect(() => store.volume(brokenId)).toThrow(expect.objectContaining({ code: 'RECORD_UNREADABLE' }));
  expect(disk.files.has(paths.record(brokenId))).toBe(true);
});

it.each(hostileIds)('returns no volume for %j and touches no file', async (hostile) => {
  const disk = new FakeDisk();
  const store = await RecordStore.open(fakeFiles(disk), paths);
  const before = [...disk.files.keys()];
  expect(store.volume(hostile)).toBeUndefined();
  expect(store.snapshot(hostile)).toBeUndefined();
  expect([...disk.files.keys()]).toEqual(before);
});

it('separates a snapshot and a volume with the same ID', async () => {
  const store = await RecordStore.open(fakeFiles(new FakeDisk()), paths);
  await store.put(volume);
  expect(store.snapshot(id)).toBeUndefined();
});
