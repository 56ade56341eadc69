import { describe, expect, it } from 'vitest';
import { createVolume } from '../controller/create-volume.ts';
import { expandVolume } from '../controller/expand-volume.ts';
import { FakeNode, neverAborts as signal } from '../fake-machine/fake-node.ts';
import { expandOnNode } from './expand-on-node.ts';
import { publishVolume } from './publish-volume.ts';
import { stageVolume } from './stage-volume.ts';
import { unpublishVolume } from './unpublish-volume.ts';
import { unstageVolume } from './unstage-volume.ts';
import { conditionOf, volumeStats } from './volume-stats.ts';
import type { VolumeUse } from './volume-use.ts';

const GiB = 1024 ** 3;
const stagingPath = '/staging';
const mount = (rest: Partial<VolumeUse> = {}): VolumeUse => ({
  access: { kind: 'mount', fileSystem: 'ext4', flags: [] },
  readOnly: false,
  single: false,
  ...rest,
});
const code = (name: string) => expect.objectContaining({ code: name });

async function withVolume(use: VolumeUse = mount()) {
  const node = new FakeNode();
  const deps = await node.start();
  const { id: volumeId } = await createVolume(deps, { name: 'a', range: { requiredBytes: GiB } }, signal);
  return {
    ...node,
    node,
    deps,
    volumeId,
    stage: (at = stagingPath) => stageVolume(deps, { volumeId, stagingPath: at, use }, signal),
    unstage: () => unstageVolume(deps, { volumeId, stagingPath }, signal),
    publish: (targetPath: string, as = use) =>
      publishVolume(deps, { volumeId, stagingPath, targetPath, use: as }, signal),
    unpublish: (targetPath: string) => unpublishVolume(deps, { volumeId, targetPath }, signal),
    expand: (requiredBytes: number) =>
      expandOnNode(deps, { volumeId, volumePath: stagingPath, range: { requiredBytes }, flags: [] }, signal),
  };
}

describe('staging', () => {
  it('creates one device and one mount when repeated', async () => {
    const { disk, stage } = await withVolume();
    await stage();
    await stage();
    expect(disk.loops).toHaveLength(1);
    expect(disk.mounts).toHaveLength(1);
  });

  it('fails when another mount is at the path, and leaves no device', async () => {
    const { disk, stage } = await withVolume();
    disk.mounts.push({
      device: '8:1',
      root: '/',
      mountPoint: stagingPath,
      readOnly: false,
      fileSystem: 'ext4',
      source: '/dev/sda1',
    });
    await expect(stage()).rejects.toThrow(code('FAILED_PRECONDITION'));
    expect(disk.loops).toEqual([]);
  });

  it('grows an ext4 of a volume that has grown meanwhile', async () => {
    const { node, deps, volumeId, stage, unstage } = await withVolume();
    await stage();
    await unstage();
    await expandVolume(deps, volumeId, { requiredBytes: 3 * GiB });
    await stage();
    expect(node.disk.files.get(deps.paths.backingFile({ id: volumeId }))?.content.fileSystem?.sizeBytes).toBe(3 * GiB);
  });
});

describe('publishing', () => {
  it('fails without staging', async () => {
    const { publish } = await withVolume();
    await expect(publish('/pod')).rejects.toThrow(code('FAILED_PRECONDITION'));
  });

  it('mounts read-only, and refuses to make the mount writable later', async () => {
    const { disk, stage, publish } = await withVolume();
    await stage();
    await publish('/pod', mount({ readOnly: true }));
    expect(disk.mounts.at(-1)).toMatchObject({ mountPoint: '/pod', readOnly: true });
    await publish('/pod', mount({ readOnly: true }));
    expect(disk.mounts).toHaveLength(2);
    await expect(publish('/pod')).rejects.toThrow(code('ALREADY_EXISTS'));
  });

  it('fails for a second pod of a single writer', async () => {
    const { stage, publish, unpublish } = await withVolume(mount({ single: true }));
    await stage();
    await publish('/pod-1');
    await publish('/pod-1');
    await expect(publish('/pod-2')).rejects.toThrow(code('FAILED_PRECONDITION'));
    await unpublish('/pod-1');
    await expect(publish('/pod-2')).resolves.toBeUndefined();
  });

  it('uses a read-only device for a read-only block volume, and removes it after the last reader', async () => {
    const use: VolumeUse = { access: { kind: 'block' }, readOnly: true, single: false };
    const { disk, stage, publish, unpublish, unstage } = await withVolume(use);
    await stage();
    await publish('/pod-1');
    await publish('/pod-2');
    const readers = disk.loops.filter(({ readOnly }) => readOnly);
    expect(readers).toHaveLength(1);
    expect(disk.mounts.map(({ root }) => root)).toEqual([readers[0]?.name.slice(4), readers[0]?.name.slice(4)]);
    await unpublish('/pod-1');
    expect(disk.loops).toHaveLength(2);
    await unpublish('/pod-2');
    expect(disk.loops).toHaveLength(1);
    await unstage();
    expect(disk.loops).toEqual([]);
  });
});

describe('unpublishing and unstaging', () => {
  it('can be repeated', async () => {
    const { disk, stage, publish, unpublish, unstage } = await withVolume();
    await stage();
    await publish('/pod');
    await unpublish('/pod');
    await unpublish('/pod');
    await unstage();
    await unstage();
    expect(disk.mounts).toEqual([]);
    expect(disk.loops).toEqual([]);
    expect(disk.directories.has('/pod')).toBe(false);
  });

  it('leaves an unknown mount at the path alone', async () => {
    const { disk, stage, unpublish } = await withVolume();
    await stage();
    const foreign = {
      device: '8:1',
      root: '/',
      mountPoint: '/pod',
      readOnly: false,
      fileSystem: 'ext4',
      source: '/dev/sda1',
    };
    disk.mounts.push(foreign);
    await expect(unpublish('/pod')).rejects.toThrow(code('INVALID_ARGUMENT'));
    expect(disk.mounts).toContain(foreign);
  });

  it('fails to unstage while a pod uses the stage', async () => {
    const { disk, stage, publish, unstage } = await withVolume();
    await stage();
    await publish('/pod');
    await expect(unstage()).rejects.toThrow(code('FAILED_PRECONDITION'));
    expect(disk.loops).toHaveLength(1);
  });
});

describe('expansion on the node', () => {
  it('grows file, device and mounted file system, even when the controller call reached another node', async () => {
    const { disk, deps, volumeId, stage, publish, expand } = await withVolume();
    await stage();
    await publish('/pod');
    expect(await expand(2 * GiB)).toBe(2 * GiB);
    expect(disk.loops[0]?.sizeBytes).toBe(2 * GiB);
    expect(disk.files.get(deps.paths.backingFile({ id: volumeId }))?.content.fileSystem?.sizeBytes).toBe(2 * GiB);
  });

  it('reports that a mounted ext4 cannot grow now, and grows it at the next stage', async () => {
    const { disk, deps, volumeId, stage, publish, unpublish, unstage, expand } = await withVolume();
    disk.growsExt4Online = false;
    await stage();
    await publish('/pod');
    const refusal = expand(2 * GiB);
    await expect(refusal).rejects.toThrow(code('FAILED_PRECONDITION'));
    await expect(refusal).rejects.toMatchObject({ nextStep: expect.stringContaining('restart the pods') });
    await unpublish('/pod');
    await unstage();
    await stage();
    expect(disk.files.get(deps.paths.backingFile({ id: volumeId }))?.content.fileSystem?.sizeBytes).toBe(2 * GiB);
    expect(await expand(2 * GiB)).toBe(2 * GiB);
  });

  it('grows an ext4 that no pod uses while unmounted, and mounts it again', async () => {
    const { disk, deps, volumeId, stage, expand } = await withVolume();
    disk.growsExt4Online = false;
    await stage();
    expect(await expand(2 * GiB)).toBe(2 * GiB);
    expect(disk.mounts.map(({ mountPoint }) => mountPoint)).toEqual([stagingPath]);
    expect(deps.store.volume(volumeId)?.remount).toBeUndefined();
  });

  it('fails for a volume of another node', async () => {
    const { expand } = await withVolume();
    await expect(expand(2 * GiB)).rejects.toThrow(code('NOT_FOUND'));
  });
});

describe('statistics', () => {
  it('report bytes and inodes of a file system, and bytes of a device', async () => {
    const { deps, volumeId, stage, publish } = await withVolume();
    await stage();
    await publish('/pod');
    const stats = await volumeStats(deps, { volumeId, volumePath: '/pod' }, signal);
    expect(stats).toMatchObject({ inodes: { total: 1000, used: 100, available: 900 }, condition: { abnormal: false } });
    await expect(volumeStats(deps, { volumeId, volumePath: '/else' }, signal)).rejects.toThrow(code('NOT_FOUND'));
  });

  it.each([
    { fileBytes: undefined, superOptions: ['rw'], message: 'gone' },
    { fileBytes: 1, superOptions: ['rw'], message: 'shorter' },
    { fileBytes: GiB, superOptions: ['ro'], message: 'read-only after an error' },
  ])('report an abnormal volume: $message', async ({ fileBytes, superOptions, message }) => {
    const { deps, volumeId } = await withVolume();
    const record = deps.store.volume(volumeId);
    if (record === undefined) throw new Error('the volume is gone');
    const entry = {
      device: '7:0',
      root: '/',
      mountPoint: '/pod',
      options: ['rw'],
      fileSystem: 'ext4',
      source: '',
      superOptions,
    };
    const condition = conditionOf(record, fileBytes, entry);
    expect(condition.abnormal).toBe(true);
    expect(condition.message).toContain(message);
  });
});
