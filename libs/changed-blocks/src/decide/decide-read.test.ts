import { describe, expect, it } from 'vitest';
import { type BaseSnapshot, decideRead, doesNotApply, type ReadFacts, type StoredSnapshot } from './decide-read.ts';

const base: BaseSnapshot = {
  snapshotHandle: 'snap-1',
  driver: 'csi.lateen.dev',
  volumeHandle: 'vol-1',
  snapshotID: 'm1',
  backupStorageLocation: 'default',
};
const stored = { snapshotID: 'm1', isComplete: true, sizeBytes: 1000, splitter: 'FIXED-4M' };
const other = { ...stored, snapshotID: 'm2' };
const facts: ReadFacts = {
  parentSnapshot: 'auto',
  stored: [stored],
  bases: [base],
  target: { driver: 'csi.lateen.dev', volumeHandle: 'vol-1', sizeBytes: 1000, backupStorageLocation: 'default' },
  splitter: 'FIXED-4M',
  hasService: true,
};

describe('decideRead', () => {
  it.each([undefined, '', 'auto', 'm1'])('reads the changes since the kept snapshot, parentSnapshot %s', (parent) => {
    expect(decideRead({ ...facts, parentSnapshot: parent })).toEqual({
      kind: 'changes',
      parent: stored,
      base,
      chunkBytes: 4 * 2 ** 20,
    });
  });

  it('builds on an older snapshot that is named, if that one was kept', () => {
    const decision = decideRead({ ...facts, parentSnapshot: 'm1', stored: [other, stored] });
    expect(decision).toMatchObject({ kind: 'changes', parent: stored });
  });

  it('reads the changes below files, for any size of their snapshot and any splitter', () => {
    const files: StoredSnapshot = { ...stored, sizeBytes: doesNotApply, splitter: doesNotApply };
    const ofFiles: ReadFacts = { ...facts, stored: [files], splitter: doesNotApply };
    expect(decideRead(ofFiles)).toEqual({ kind: 'changes', parent: files, base, chunkBytes: doesNotApply });
    expect(decideRead({ ...ofFiles, hasService: false })).toMatchObject({ kind: 'full' });
  });

  it('builds on the kept snapshot when newer ones are stored: by uploads at the same time, by others, or in part', () => {
    const since = [
      { ...other, isComplete: false },
      { ...stored, snapshotID: 'm3' },
    ];
    expect(decideRead({ ...facts, stored: [...since, stored] })).toMatchObject({
      kind: 'changes',
      parent: stored,
      base,
    });
    const next = { ...base, snapshotID: 'm3', snapshotHandle: 'snap-3' };
    expect(decideRead({ ...facts, stored: [...since, stored], bases: [base, next] })).toMatchObject({ base: next });
  });

  const rows: [string, Partial<ReadFacts>][] = [
    ['parentSnapshot is none', { parentSnapshot: 'none' }],
    ['first backup of the volume', { stored: [], bases: [] }],
    ['snapshot m1, the last one, is incomplete', { stored: [{ ...stored, isComplete: false }] }],
    ['parent snapshot m9 is not in the repository', { parentSnapshot: 'm9' }],
    ['parent snapshot m1 is incomplete', { parentSnapshot: 'm1', stored: [{ ...stored, isComplete: false }] }],
    ['base snapshot gone', { bases: [] }],
    ['base snapshot gone', { bases: [{ ...base, snapshotID: 'm0' }] }],
    ['base snapshot gone', { bases: [{ ...base, backupStorageLocation: 'elsewhere' }] }],
    ['parent snapshot m2 is not kept in the cluster', { parentSnapshot: 'm2', stored: [other, stored] }],
    ['the volume has another driver, csi.lateen.dev', { bases: [{ ...base, driver: 'other' }] }],
    ['the claim has another volume', { bases: [{ ...base, volumeHandle: 'vol-0' }] }],
    ['volume grew', { target: { ...facts.target, sizeBytes: 1001 } }],
    ['volume shrank', { target: { ...facts.target, sizeBytes: 999 } }],
    ['DYNAMIC-4M-BUZHASH does not cut at fixed places', { splitter: 'DYNAMIC-4M-BUZHASH' }],
    ['one that nothing names does not cut at fixed places', { splitter: undefined }],
    ['snapshot m1 was cut by another splitter, FIXED-4M', { splitter: 'FIXED-1M' }],
    [
      'snapshot m1 was cut by another splitter, one that nothing names',
      { stored: [{ ...stored, splitter: undefined }] },
    ],
    [
      'nothing in the cluster tells changed blocks of driver csi.lateen.dev: it has no SnapshotMetadataService',
      { hasService: false },
    ],
  ];
  it.each(rows)('reads everything: %s', (reason, change) => {
    expect(decideRead({ ...facts, ...change })).toEqual({ kind: 'full', reason });
  });
});
