import { describe, expect, it } from 'vitest';
import { FakeNode, neverAborts as signal } from '../fake-machine/fake-node.ts';
import { hostileIds } from '../fake-machine/hostile-ids.ts';
import { stageVolume } from '../node/stage-volume.ts';
import type { VolumeUse } from '../node/volume-use.ts';
import { idForName } from '../volume-id.ts';
import { createSnapshot } from './create-snapshot.ts';
import { createVolume } from './create-volume.ts';
import { deleteSnapshot, deleteVolume } from './delete-record.ts';
import { expandVolume } from './expand-volume.ts';

const GiB = 1024 ** 3;
const ext4: VolumeUse = { access: { kind: 'mount', fileSystem: 'ext4', flags: [] }, readOnly: false, single: false };
const block: VolumeUse = { access: { kind: 'block' }, readOnly: false, single: false };
const code = (name: string) => expect.objectContaining({ code: name });

async function started(node = new FakeNode()) {
  const deps = await node.start();
  const create = (name: string, rest: Partial<Parameters<typeof createVolume>[1]> = {}) =>
    createVolume(deps, { name, range: { requiredBytes: GiB }, ...rest }, signal);
  const snapshot = (name: string, sourceVolumeId: string) => createSnapshot(deps, { name, sourceVolumeId }, signal);
  return { node, deps, create, snapshot };
}

describe('createVolume', () => {
  it('returns the same volume for the same name, even with a smaller request', async () => {
    const { create } = await started();
    const first = await create('a');
    expect(await create('a')).toEqual(first);
    expect(await create('a', { range: {} })).toEqual(first);
  });

  it('rejects the same name with another size or source', async () => {
    const { create, snapshot } = await started();
    const volume = await create('a');
    const made = await snapshot('s', volume.id);
    await expect(create('a', { range: { requiredBytes: 2 * GiB } })).rejects.toThrow(code('ALREADY_EXISTS'));
    await expect(create('a', { range: { limitBytes: GiB / 2 } })).rejects.toThrow(code('ALREADY_EXISTS'));
    await expect(create('a', { source: { kind: 'snapshot', id: made.id } })).rejects.toThrow(code('ALREADY_EXISTS'));
  });

  it('makes a copy at least as large as its source, and rejects a smaller limit', async () => {
    const { create, snapshot } = await started();
    const volume = await create('a', { range: { requiredBytes: 4 * GiB } });
    const source = { kind: 'snapshot', id: (await snapshot('s', volume.id)).id } as const;
    expect((await create('b', { source })).capacityBytes).toBe(4 * GiB);
    expect((await create('c', { source, range: { requiredBytes: 5 * GiB } })).capacityBytes).toBe(5 * GiB);
    await expect(create('d', { source, range: { limitBytes: GiB } })).rejects.toThrow(code('OUT_OF_RANGE'));
  });

  it('gives an xfs volume the size that mkfs.xfs needs', async () => {
    const { create } = await started();
    const range = { requiredBytes: 1 };
    expect((await create('a', { fileSystem: 'xfs', range })).capacityBytes).toBe(300 * 1024 ** 2);
  });

  it.each(hostileIds)('rejects the unknown source %j', async (id) => {
    const { create, node } = await started();
    const before = [...node.disk.files.keys()];
    await expect(create('a', { source: { kind: 'snapshot', id } })).rejects.toThrow(code('NOT_FOUND'));
    await expect(create('a', { source: { kind: 'volume', id } })).rejects.toThrow(code('NOT_FOUND'));
    expect([...node.disk.files.keys()]).toEqual(before);
  });

  it('returns the topology of the node that holds the source', async () => {
    const { create } = await started();
    const id = idForName('snapshot', 's', 'node-2');
    await expect(create('a', { source: { kind: 'snapshot', id } })).rejects.toThrow(code('RESOURCE_EXHAUSTED'));
  });
});

describe('free space', () => {
  it('is reserved once: of two volumes that fit only alone, one is rejected', async () => {
    const { node, create } = await started();
    node.disk.freeBytes = 3 * GiB;
    const both = await Promise.allSettled([
      create('a', { range: { requiredBytes: 2 * GiB } }),
      create('b', { range: { requiredBytes: 2 * GiB } }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'RESOURCE_EXHAUSTED', retry: 'later' } });
  });

  it('is released by a deletion and by a rejected call', async () => {
    const { node, deps, create } = await started();
    node.disk.freeBytes = 3 * GiB;
    const volume = await create('a', { range: { requiredBytes: 2 * GiB } });
    await expect(expandVolume(deps, volume.id, { requiredBytes: 4 * GiB })).rejects.toThrow(code('RESOURCE_EXHAUSTED'));
    await expect(create('b', { range: { requiredBytes: 2 * GiB } })).rejects.toThrow(code('RESOURCE_EXHAUSTED'));
    expect(node.disk.files.size).toBe(2);
    await deleteVolume(deps, volume.id, signal);
    await expect(create('b', { range: { requiredBytes: 2 * GiB } })).resolves.toBeDefined();
  });
});

describe('snapshots', () => {
  it('keep the data from the time when they were taken', async () => {
    const { node, deps, create, snapshot } = await started();
    const { id } = await create('a');
    await stageVolume(deps, { volumeId: id, stagingPath: '/staging', use: ext4 }, signal);
    node.disk.write('/staging', 'before');
    const made = await snapshot('s', id);
    node.disk.write('/staging', 'after');
    expect(node.disk.files.get(deps.paths.backingFile(made))?.content.written).toEqual(['before']);
    expect([...node.disk.frozen]).toEqual([]);
    expect(made).toMatchObject({ state: 'ready', sizeBytes: GiB, fileSystem: { type: 'ext4' } });
  });

  it('of another volume with the same name are rejected', async () => {
    const { create, snapshot } = await started();
    await snapshot('s', (await create('a')).id);
    await expect(snapshot('s', (await create('b')).id)).rejects.toThrow(code('ALREADY_EXISTS'));
  });

  it('remain when their volume is deleted, and volumes created from them remain when they are deleted', async () => {
    const { deps, create, snapshot } = await started();
    const volume = await create('a');
    const made = await snapshot('s', volume.id);
    await deleteVolume(deps, volume.id, signal);
    const copy = await create('b', { source: { kind: 'snapshot', id: made.id } });
    await deleteSnapshot(deps, made.id, signal);
    expect(deps.store.all()).toEqual([copy]);
  });

  it('of a block volume in use are rejected when only a full copy is possible', async () => {
    const node = new FakeNode();
    node.disk.hasReflink = false;
    const { deps, create, snapshot } = await started(node);
    const { id } = await create('a');
    await stageVolume(deps, { volumeId: id, stagingPath: '/staging', use: block }, signal);
    await expect(snapshot('s', id)).rejects.toThrow(code('FAILED_PRECONDITION'));
    expect(deps.store.snapshots()).toEqual([]);
  });
});

describe('deletion', () => {
  it('succeeds for an unknown volume, and fails for a volume of another node', async () => {
    const { deps } = await started();
    await expect(deleteVolume(deps, 'anything', signal)).resolves.toBeUndefined();
    await expect(deleteSnapshot(deps, 'anything', signal)).resolves.toBeUndefined();
    const elsewhere = idForName('volume', 'a', 'node-2');
    await expect(deleteVolume(deps, elsewhere, signal)).rejects.toThrow(code('FAILED_PRECONDITION'));
  });

  it('fails for a mounted volume and changes nothing', async () => {
    const { node, deps, create } = await started();
    const { id } = await create('a');
    await stageVolume(deps, { volumeId: id, stagingPath: '/staging', use: ext4 }, signal);
    node.disk.write('/staging', 'precious');
    await expect(deleteVolume(deps, id, signal)).rejects.toThrow(code('FAILED_PRECONDITION'));
    expect(deps.store.volume(id)?.state).toBe('ready');
    expect(node.disk.files.get(deps.paths.backingFile({ id }))?.content.written).toEqual(['precious']);
  });

  it.each(hostileIds)('touches no file for the ID %j', async (id) => {
    const { node, deps, create } = await started();
    await create('a');
    const before = [...node.disk.files.keys()];
    await deleteVolume(deps, id, signal);
    await deleteSnapshot(deps, id, signal);
    expect([...node.disk.files.keys()]).toEqual(before);
  });
});

describe('expandVolume', () => {
  it('never shrinks', async () => {
    const { deps, create } = await started();
    const { id } = await create('a', { range: { requiredBytes: 2 * GiB } });
    expect((await expandVolume(deps, id, { requiredBytes: GiB })).capacityBytes).toBe(2 * GiB);
    await expect(expandVolume(deps, id, { limitBytes: GiB })).rejects.toThrow(code('OUT_OF_RANGE'));
  });
});
