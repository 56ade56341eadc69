import { describe, expect, it } from 'vitest';
import { readRecord, recordText } from './read-record.ts';
import type { SnapshotRecord, VolumeRecord } from './records.ts';

const id = 'vol-12345678-0123456789abcdef0123456789abcdef';
const volume: VolumeRecord = {
  kind: 'volume',
  id,
  name: 'ünïcode "name"\n',
  state: 'ready',
  createdAtMs: 1_900_000_000_000,
  capacityBytes: 2 ** 44,
  source: { kind: 'snapshot', id: 'snap-12345678-0123456789abcdef0123456789abcdef' },
  fileSystem: { type: 'xfs', state: 'ready', sizeBytes: 2 ** 44 },
  remount: { at: '/staging', flags: ['noatime'] },
};
const snapshot: SnapshotRecord = {
  kind: 'snapshot',
  id: id.replace('vol', 'snap'),
  name: 's',
  state: 'creating',
  createdAtMs: 1,
  sizeBytes: 1,
  sourceVolumeId: id,
  frozenMounts: ['/staging'],
};

describe('a record file', () => {
  it.each([volume, snapshot])('round-trips each field of a $kind', (record) => {
    expect(readRecord(recordText(record), record.id)).toEqual(record);
  });

  it.each([
    { title: 'nothing', text: '' },
    { title: 'truncated text', text: recordText(volume).slice(0, 50) },
    { title: 'zeros', text: '\0'.repeat(100) },
    { title: 'no object', text: '[]' },
    { title: 'null', text: 'null' },
    { title: 'another version', text: recordText(volume).replace('"version":1', '"version":2') },
    { title: 'the ID of another file', text: recordText({ ...volume, id: id.replace('0', '1') }) },
    { title: 'another kind', text: recordText(volume).replace('"kind":"volume"', '"kind":"snapshot"') },
    { title: 'an unknown state', text: recordText(volume).replace('"ready"', '"lost"') },
    { title: 'no size', text: recordText(volume).replace('capacityBytes', 'capacity') },
    { title: 'a negative size', text: recordText({ ...volume, capacityBytes: -1 }) },
    { title: 'an unknown file system', text: recordText(volume).replace('"xfs"', '"zfs"') },
  ])('with $title is unreadable', ({ text }) => {
    expect(readRecord(text, id)).toHaveProperty('unreadable');
  });

  it('named with a path is unreadable', () => {
    expect(readRecord(recordText({ ...volume, id: '../x' }), '../x')).toHaveProperty('unreadable');
  });
});
