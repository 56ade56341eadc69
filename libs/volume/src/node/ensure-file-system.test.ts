import { describe, expect, it } from 'vitest';
import type { Content } from '../host/file-systems.ts';
import type { FileSystemRecord, VolumeRecord } from '../store/records.ts';
import { decideFormat } from './ensure-file-system.ts';

const volume: VolumeRecord = { kind: 'volume', id: 'v', name: 'n', state: 'ready', createdAtMs: 1, capacityBytes: 2 };
const holding = (fileSystem: FileSystemRecord) => ({ ...volume, fileSystem });
const blank: Content = { kind: 'blank' };
const ext4: Content = { kind: 'fileSystem', type: 'ext4' };
const xfs: Content = { kind: 'fileSystem', type: 'xfs' };
const ready: FileSystemRecord = { type: 'ext4', state: 'ready', sizeBytes: 2 };
const formatting: FileSystemRecord = { type: 'ext4', state: 'formatting', sizeBytes: 0 };

describe('decideFormat', () => {
  it.each([
    { given: 'a new blank volume', record: volume, content: blank, wanted: undefined, make: 'ext4' },
    { given: 'a new blank volume with xfs requested', record: volume, content: blank, wanted: 'xfs', make: 'xfs' },
    {
      given: 'a blank volume with a default',
      record: { ...volume, defaultFileSystem: 'xfs' },
      content: blank,
      wanted: undefined,
      make: 'xfs',
    },
    {
      given: 'a killed mkfs that left nothing',
      record: holding(formatting),
      content: blank,
      wanted: 'ext4',
      make: 'ext4',
    },
    {
      given: 'a killed mkfs that left a superblock',
      record: holding(formatting),
      content: ext4,
      wanted: 'ext4',
      make: 'ext4',
    },
  ] as const)('with $given, formats with $make', ({ record, content, wanted, make }) => {
    expect(decideFormat(record, content, wanted)).toEqual({ kind: 'make', type: make });
  });

  it.each([
    {
      given: 'the recorded file system',
      record: holding(ready),
      content: ext4,
      wanted: 'ext4',
      use: ready,
      isNews: false,
    },
    {
      given: 'the recorded file system, with no type requested',
      record: holding(ready),
      content: ext4,
      wanted: undefined,
      use: ready,
      isNews: false,
    },
    {
      given: 'a file system that a user made on a block volume',
      record: volume,
      content: xfs,
      wanted: undefined,
      use: { type: 'xfs', state: 'ready', sizeBytes: 0 },
      isNews: true,
    },
    {
      given: 'another file system than recorded, made later on a block volume',
      record: holding(ready),
      content: xfs,
      wanted: 'xfs',
      use: { type: 'xfs', state: 'ready', sizeBytes: 0 },
      isNews: true,
    },
  ] as const)('uses $given', ({ record, content, wanted, use, isNews }) => {
    expect(decideFormat(record, content, wanted)).toEqual({ kind: 'use', fileSystem: use, isNews });
  });

  it.each([
    {
      given: 'recorded data is missing',
      record: holding(ready),
      content: blank,
      wanted: 'ext4',
      code: 'FAILED_PRECONDITION',
    },
    {
      given: 'another file system is requested',
      record: holding(ready),
      content: ext4,
      wanted: 'xfs',
      code: 'INVALID_ARGUMENT',
    },
    {
      given: 'a partition table exists',
      record: volume,
      content: { kind: 'other' },
      wanted: 'ext4',
      code: 'INVALID_ARGUMENT',
    },
    {
      given: 'a signature exists that blkid does not know',
      record: volume,
      content: { kind: 'damaged', type: 'ext4' },
      wanted: 'ext4',
      code: 'FAILED_PRECONDITION',
    },
    {
      given: 'an unsupported file system exists',
      record: volume,
      content: { kind: 'fileSystem', type: 'btrfs' },
      wanted: undefined,
      code: 'INVALID_ARGUMENT',
    },
  ] as const)('never formats when $given', ({ record, content, wanted, code }) => {
    expect(() => decideFormat(record, content, wanted)).toThrow(expect.objectContaining({ code }));
  });
});
