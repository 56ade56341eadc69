import { describe, expect, it } from 'vitest';
import { decideFile, type FileFacts, fileReasons, isStale, isTrue } from './decide-file.ts';
import { type DeviceFacts, deviceDoubt, deviceDoubts, isPlain } from './device-doubt.ts';
import { runOf } from './file-state.ts';

const device = { sizeBytes: 100, isPartition: false, isStacked: false, offsetBytes: 0 };
const xfs: DeviceFacts = { fileSystem: 'xfs', options: ['rw', 'noquota'], device };
const ext4: DeviceFacts = { fileSystem: 'ext4', options: ['rw', 'data=ordered'], device };

describe('the device of a file system', () => {
  it.each([xfs, ext4])('$fileSystem on the volume itself is used', (facts) => {
    expect(deviceDoubt(facts, 100)).toBeUndefined();
    expect(deviceDoubt(facts, undefined)).toBeUndefined();
  });

  it.each<[keyof typeof deviceDoubts, DeviceFacts]>([
    ['notMounted', { ...xfs, fileSystem: undefined }],
    ['fileSystem', { ...xfs, fileSystem: 'btrfs' }],
    ['noDevice', { ...xfs, device: undefined }],
    ['partition', { ...xfs, device: { ...device, isPartition: true } }],
    ['stacked', { ...xfs, device: { ...device, isStacked: true } }],
    ['offset', { ...xfs, device: { ...device, offsetBytes: 512 } }],
    ['otherSize', { ...xfs, device: { ...device, sizeBytes: 84 } }],
    ['severalDevices', { ...xfs, options: ['rw', 'rtdev=/dev/sdb'] }],
    ['severalDevices', { ...ext4, options: ['data=ordered', 'journal_path=/dev/sdb'] }],
    ['dataInJournal', { ...ext4, options: ['data=journal'] }],
    ['dataInJournal', { ...ext4, options: ['rw'] }],
  ])('is rejected: %s', (doubt, facts) => {
    expect(deviceDoubt(facts, 100)).toBe(deviceDoubts[doubt]);
  });

  it('has files whose bytes may be elsewhere', () => {
    expect(['--------------e-------', '----i---------e----C--'].map((one) => isPlain('ext4', one))).toEqual([
      true,
      true,
    ]);
    const elsewhere = [
      '-------------je-------',
      '----------------------',
      '----E---------e-------',
      '',
      '--------------e---N---',
    ];
    expect(elsewhere.map((one) => isPlain('ext4', one))).toEqual(elsewhere.map(() => false));
    expect(
      ['-p--------------X', '-----------------', 'r----------------', '-?'].map((one) => isPlain('xfs', one)),
    ).toEqual([true, true, false, false]);
  });
});

it('an extent has an address if its bytes are there', () => {
  const extent = { startBytes: 0, endBytes: 8, physicalBytes: 16, isUnwritten: false, isShared: false };
  expect(runOf(extent).home).toBe(16);
  expect(runOf({ ...extent, isShared: true }).home).toBe(16);
  expect(runOf({ ...extent, isUnwritten: true }).home).toBeUndefined();
  expect(runOf({ ...extent, physicalBytes: undefined }).home).toBeUndefined();
});

describe('a file', () => {
  const state = (sizeBytes: number, mtimeNs: bigint) => ({ path: 'a', sizeBytes, mtimeNs, runs: [] });
  const base = { sizeBytes: 5, mtimeNs: 1n };
  const facts: FileFacts = { now: state(6, 2n), base, before: state(5, 1n) };

  it('is compared with the stored data of exactly that file of the base', () => {
    expect(decideFile(facts)).toEqual({ kind: 'compare', now: state(6, 2n), before: state(5, 1n) });
  });

  it.each<[keyof typeof fileReasons, Partial<FileFacts>]>([
    ['noMap', { now: undefined }],
    ['isNew', { base: undefined }],
    ['notStored', { before: undefined }],
    ['otherFile', { before: state(5, 0n) }],
    ['otherFile', { before: state(4, 1n) }],
  ])('is left to the engine: %s', (reason, more) => {
    expect(decideFile({ ...facts, ...more })).toEqual({ kind: 'engine', reason: fileReasons[reason] });
  });

  it('has its map stored only if the snapshot certainly has its bytes', () => {
    expect(isTrue({ kind: 'engine', isKnown: false })).toBe(true);
    expect(isTrue({ kind: 'engine', isKnown: true })).toBe(false);
    for (const isKnown of [true, false]) expect(isTrue({ kind: 'compared', isKnown, isEqual: true })).toBe(true);
    expect(isTrue({ kind: 'compared', isKnown: false, isEqual: false })).toBe(true);
    expect(isTrue({ kind: 'compared', isKnown: true, isEqual: false })).toBe(false);
  });

  it('is stale if it has changed, but neither its size nor its time', () => {
    expect(isStale({ kind: 'compared', isKnown: true, isEqual: false })).toBe(true);
    expect(isStale({ kind: 'compared', isKnown: true, isEqual: true })).toBe(false);
    expect(isStale({ kind: 'compared', isKnown: false, isEqual: false })).toBe(false);
    expect(isStale({ kind: 'engine', isKnown: true })).toBe(false);
  });
});
