import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredBackup } from '../format/backup-config.ts';
import { BlockListBuilder } from '../format/block-list.ts';
import { lockFileText, parseLockFile } from '../format/lock-file.ts';
import { blockHash } from '../names/block-hash.ts';
import { type BaseSeen, decideBase } from './decide-base.ts';
import { type CollectionSeen, decideCollection, unreferenced } from './decide-collection.ts';
import { decideLock, lockExpiryMs, type SeenLock } from './decide-lock.ts';
import { HashSet } from './hash-set.ts';

const MiB = 1024 * 1024;

function lastBackup(change: Partial<StoredBackup> = {}): StoredBackup {
  const blocks = new BlockListBuilder();
  blocks.add(6 * MiB, blockHash('x'));
  return {
    name: 'backup-1',
    volumeName: 'vol',
    snapshotName: 'snap-1',
    snapshotCreatedAt: '2026-08-21T10:05:00Z',
    createdTime: '2026-08-21T10:05:09Z',
    sizeBytes: 2n,
    labels: null,
    parameters: null,
    isIncremental: false,
    compressionMethod: 'lz4',
    newlyUploadedBytes: 0n,
    reUploadedBytes: 0n,
    other: {},
    blocks: blocks.build(),
    ...change,
  };
}

describe('decideBase', () => {
  const seen = (change: Partial<BaseSeen> = {}): BaseSeen => ({
    lastBackup: lastBackup(),
    mode: 'incremental',
    snapshot: 'snap-2',
    snapshots: new Set(['snap-0', 'snap-1']),
    blockBytes: 2 * MiB,
    sizeBytes: BigInt(8 * MiB),
    ...change,
  });

  it('uses the last backup when changes since its snapshot can be determined', () => {
    expect(decideBase(seen())).toMatchObject({ base: { name: 'backup-1' } });
  });

  it.each<[string, Partial<BaseSeen>]>([
    ['asked for', { mode: 'full' }],
    ['no backup before', { lastBackup: undefined }],
    ['the last backup cannot be read', { lastBackup: 'unreadable' }],
    ['the last backup was not finished', { lastBackup: lastBackup({ createdTime: '' }) }],
    ['the last backup is of the same snapshot', { snapshot: 'snap-1' }],
    ['the snapshot of the last backup is gone', { snapshots: new Set(['snap-0']) }],
    ['the last backup has blocks of another size', { blockBytes: 16 * MiB }],
    ['the volume is smaller than at the last backup', { sizeBytes: BigInt(6 * MiB) }],
  ])('reads everything: %s', (full, change) => expect(decideBase(seen(change))).toEqual({ full }));
});

describe('decideLock', () => {
  const nowMs = 1_000_000;
  const lock = (name: string, type: number, acquired: boolean, agoMs: number): SeenLock => ({
    name,
    file: { name, type, acquired },
    modifiedAtMs: nowMs - agoMs,
  });
  const own = lock('lock-5', 1, false, 2_000);

  it.each<[string, SeenLock, boolean]>([
    ['an acquired lock of another type, even if newer', lock('lock-9', 2, true, 0), true],
    ['an older lock of another type', lock('lock-9', 2, false, 3_000), true],
    ['a newer lock of another type', lock('lock-1', 2, false, 1_000), false],
    ['a lock of another type with the same time and a smaller name', lock('lock-4', 2, false, 2_000), true],
    ['a lock of another type with the same time and a larger name', lock('lock-6', 2, false, 2_000), false],
    ['an acquired lock of the same type', lock('lock-9', 1, true, 3_000), false],
    ['a lock at the age limit', lock('lock-9', 2, true, lockExpiryMs), true],
    ['an expired lock', lock('lock-9', 2, true, lockExpiryMs + 1), false],
    ['a lock with a time in the future', lock('lock-9', 2, true, -3_600_000), true],
    ['a lock without a type', lock('lock-9', 0, true, 0), true],
    ['an unreadable lock', { name: 'lock-9', file: undefined, modifiedAtMs: nowMs }, true],
    ['an unreadable lock that has expired', { name: 'lock-9', file: undefined, modifiedAtMs: 0 }, false],
    ['a lock of another type with an unknown time', { ...lock('lock-9', 2, false, 0), modifiedAtMs: undefined }, true],
    ['itself', own, false],
  ])('refused by %s: %s', (_, other, isRefused) => {
    expect(decideLock(own, [other], nowMs) !== 'held').toBe(isRefused);
  });

  it('grants the lock to one of two different types, never to both', () => {
    const any = fc.record({ agoMs: fc.integer({ min: 0, max: 5 }), acquired: fc.boolean() });
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [first, second] = [lock('lock-a', 1, a.acquired, a.agoMs), lock('lock-b', 2, b.acquired, b.agoMs)];
        const through = [decideLock(first, [second], nowMs), decideLock(second, [first], nowMs)];
        expect(through.filter((each) => each === 'held')).toHaveLength(1);
      }),
    );
  });

  it('reads what it writes, and rejects anything else', () => {
    const file = { name: 'lock-1', type: 2, acquired: true };
    expect(lockFileText(file)).toBe('{"Name":"lock-1","Type":2,"Acquired":true}');
    expect(parseLockFile(lockFileText(file))).toEqual(file);
    expect(['', '{', '[]', '{"Type":"x"}', '{"Acquired":1}'].map(parseLockFile)).toEqual(Array(5).fill(undefined));
  });
});

describe('decideCollection', () => {
  const seen = (change: Partial<CollectionSeen> = {}): CollectionSeen => ({
    listed: ['a1'],
    listedAgain: ['a1'],
    unreadable: [],
    inProgress: [],
    blocksNamed: 1,
    blocksNamedMax: 10,
    ...change,
  });

  it('collects when every backup was read and the list did not change', () =>
    expect(decideCollection(seen())).toBe('collect'));

  it.each<[object, Partial<CollectionSeen>]>([
    [{ reason: 'backup-unreadable', backup: 'a1' }, { unreadable: [{ name: 'a1', why: 'cut' }] }],
    [{ reason: 'backup-in-progress', backup: 'a1' }, { inProgress: ['a1'] }],
    [{ reason: 'backups-changed' }, { listedAgain: ['a1', 'a2'] }],
    [{ reason: 'backups-changed' }, { listedAgain: ['a2'] }],
    [{ reason: 'too-many-blocks', blocks: 11 }, { blocksNamed: 11 }],
  ])('gives up: %j', (why, change) => expect(decideCollection(seen(change))).toMatchObject(why));
});

describe('unreferenced', () => {
  it('are the blocks that no backup lists', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(fc.array(hash), fc.array(hash), (named, others) => {
        const referenced = new HashSet();
        for (const each of named) referenced.add(each);
        const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
        const left = [...unreferenced([...named, ...others].map(hex), referenced)];
        const names = new Set(named.map((each) => hex(each).slice(0, 32)));
        expect(left).toEqual(others.map(hex).filter((each) => !names.has(each.slice(0, 32))));
        expect(referenced.size).toBe(names.size);
      }),
    );
  });

  it('handles a hash of zeros and many hashes', () => {
    const set = new HashSet();
    const hashes = [
      Buffer.alloc(32),
      ...Array.from({ length: 5_000 }, (_, at) => Buffer.from(blockHash(`${at}`), 'hex')),
    ];
    expect(hashes.every((each) => !set.has(each) && set.add(each))).toBe(true);
    expect(hashes.some((each) => !set.has(each) || set.add(each))).toBe(false);
    expect(set.size).toBe(5_001);
  });
});
