import { describe, expect, it } from 'vitest';
import { FakeNode, neverAborts as signal } from '../fake-machine/fake-node.ts';
import type { VolumeUse } from '../node/volume-use.ts';
import { conditionOfMount, deviceStats, expandDevice } from './device-figures.ts';
import { readMkfsParams } from './format-device.ts';
import { publishDevice, unpublishDevice } from './publish-device.ts';
import { stageDevice, unstageDevice } from './stage-device.ts';

const MiB = 1024 * 1024;
const use: VolumeUse = { access: { kind: 'mount', flags: [] }, readOnly: false, single: false };
const block: VolumeUse = { ...use, access: { kind: 'block' } };
const [stagingPath, targetPath, volumeId] = ['/kubelet/staging', '/kubelet/pod', 'v1'];

/** A machine with a device that another component has created. */
async function machine(sizeBytes = 512 * MiB) {
  const node = new FakeNode();
  node.disk.makeFile('/elsewhere/volume', sizeBytes);
  await node.host.run('losetup', ['--find', '/elsewhere/volume'], { signal, timeoutMs: 1 });
  const device = node.disk.loops[0]?.name ?? '';
  const { host } = node;
  const stage = (of: VolumeUse = use) => stageDevice(host, { device, stagingPath, use: of, mkfsParams: [] }, signal);
  const publish = (of: VolumeUse = use, at = targetPath) =>
    publishDevice(host, { volumeId, device, stagingPath, targetPath: at, use: of }, signal);
  return { node, host, device, stage, publish };
}

const mountPoints = ({ disk }: FakeNode) => disk.mounts.map(({ mountPoint }) => mountPoint);

describe('a device that another component has created', () => {
  it('is formatted when blank, mounted, bound, and released, and each step can be repeated', async () => {
    const { node, host, device, stage, publish } = await machine();
    for (const _ of [1, 2]) await stage();
    for (const _ of [1, 2]) await publish();
    expect(node.disk.contentOf(device).content.fileSystem).toMatchObject({ type: 'ext4', sizeBytes: 512 * MiB });
    expect(mountPoints(node)).toEqual([stagingPath, targetPath]);
    const unstage = () => unstageDevice(host, { device, stagingPath }, signal);
    await expect(unstage()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    for (const _ of [1, 2]) await unpublishDevice(host, { device, targetPath }, signal);
    for (const _ of [1, 2]) await unstage();
    expect(mountPoints(node)).toEqual([]);
    expect(node.disk.loops).toHaveLength(1);
  });

  it.each([
    [{ ...use, access: { kind: 'mount', flags: [], fileSystem: 'xfs' } } as const, 'INVALID_ARGUMENT'],
    [{ ...use, access: { kind: 'mount', flags: [], fileSystem: 'ext4' } } as const, undefined],
  ])('with ext4 on it and access %j: %s', async (wanted, code) => {
    const { node, host, device, stage } = await machine();
    await stage();
    node.disk.write(stagingPath, 'data');
    await unstageDevice(host, { device, stagingPath }, signal);
    const again = stage(wanted);
    if (code === undefined) await again;
    else await expect(again).rejects.toMatchObject({ code });
    expect(node.disk.contentOf(device).content.fileSystem?.type).toBe('ext4');
  });

  it('has its file system grown, when it is mounted again or when kubelet asks', async () => {
    const { node, host, device, stage } = await machine();
    await stage();
    const enlarge = async (bytes: number) => {
      node.disk.contentOf(device).sizeBytes = bytes;
      await host.run('losetup', ['--set-capacity', device], { signal, timeoutMs: 1 });
    };
    const size = () => node.disk.contentOf(device).content.fileSystem?.sizeBytes;
    await enlarge(600 * MiB);
    node.disk.growsExt4Online = true;
    const request = { device, volumePath: stagingPath };
    expect([await expandDevice(host, request, signal), size()]).toEqual([600 * MiB, 600 * MiB]);
    await enlarge(700 * MiB);
    await stage();
    expect(size()).toBe(700 * MiB);
    const elsewhere = expandDevice(host, { device, volumePath: '/nowhere' }, signal);
    await expect(elsewhere).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is used without growth when the kernel cannot grow a mounted ext4, and the next step is reported', async () => {
    const { node, host, device, stage } = await machine();
    await stage();
    node.disk.growsExt4Online = false;
    node.disk.contentOf(device).sizeBytes = 600 * MiB;
    await host.run('losetup', ['--set-capacity', device], { signal, timeoutMs: 1 });
    await expect(expandDevice(host, { device, volumePath: stagingPath }, signal)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      nextStep: expect.stringContaining('xfs'),
    });
    await stage();
    expect(mountPoints(node)).toEqual([stagingPath]);
  });

  it('reports its usage at the path of a pod', async () => {
    const { host, device, stage } = await machine();
    await stage();
    const stats = await deviceStats(host, { device, volumePath: stagingPath }, signal);
    expect(stats.condition).toMatchObject({ abnormal: false });
    expect(stats.inodes).toBeDefined();
    const elsewhere = deviceStats(host, { device, volumePath: targetPath }, signal);
    await expect(elsewhere).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is bound to a file for a raw block volume, and rejects read-only access', async () => {
    const { node, host, device, stage, publish } = await machine();
    await stage(block);
    for (const _ of [1, 2]) await publish(block);
    expect(mountPoints(node)).toEqual([targetPath]);
    expect(node.disk.contentOf(device).content.fileSystem).toBeUndefined();
    expect(await deviceStats(host, { device, volumePath: targetPath }, signal)).toMatchObject({
      bytes: { total: 512 * MiB },
    });
    const read = publish({ ...block, readOnly: true }, '/kubelet/other');
    await expect(read).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('is never formatted when it cannot be read, although blkid reports it as blank', async () => {
    const { node, device, stage } = await machine();
    node.disk.unreadable.add(device);
    await expect(stage()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('cannot be read'),
      nextStep: expect.stringContaining('not formatted'),
    });
    expect(node.disk.contentOf(device).content.fileSystem).toBeUndefined();
    node.disk.unreadable.clear();
    await stage();
    expect(node.disk.contentOf(device).content.fileSystem?.type).toBe('ext4');
  });

  it.each([
    ['ext4', 1080, Buffer.of(0x53, 0xef)],
    ['xfs', 0, Buffer.from('XFSB')],
  ])('is never formatted when it has the signature of %s, which blkid does not know', async (type, at, mark) => {
    const { node, device, stage } = await machine();
    node.disk.writeDevice(device, at, mark);
    await expect(stage()).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining(type),
    });
    expect(node.disk.contentOf(device).content.fileSystem).toBeUndefined();
  });

  it('reports a missing device, a path that is not staged, and a second pod of a single writer', async () => {
    const { host, stage, publish } = await machine();
    const gone = { device: '/dev/longhorn/gone', stagingPath, use, mkfsParams: [] };
    await expect(stageDevice(host, gone, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(publish()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    await stage();
    await publish({ ...use, single: true });
    const second = publish({ ...use, single: true }, '/kubelet/second');
    await expect(second).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
});

describe('mounts whose device is gone', () => {
  /** The front end was killed, and the volume has a new device; everything else is unchanged. */
  async function lostDevice(of: VolumeUse = use) {
    const before = await machine();
    await before.stage(of);
    await before.publish(of);
    const { node, host } = before;
    node.disk.unreadable.add(before.device);
    await host.run('losetup', ['--find', '/elsewhere/volume'], { signal, timeoutMs: 1 });
    const device = node.disk.loops.find(({ name }) => name !== before.device)?.name ?? '';
    const stage = () => stageDevice(host, { device, stagingPath, use: of, mkfsParams: [] }, signal);
    return { ...before, device, stage };
  }
  const minor = (device: string) => `7:${device.slice('/dev/loop'.length)}`;

  it('are unmounted before the volume is staged again with the new device', async () => {
    const { node, host, device, stage } = await lostDevice();
    await stage();
    expect(node.disk.mounts.find(({ mountPoint }) => mountPoint === stagingPath)?.device).toBe(minor(device));
    await unpublishDevice(host, { device, targetPath }, signal);
    expect(mountPoints(node)).toEqual([stagingPath]);
  });

  it('are unmounted when the same device is staged again, which is not formatted', async () => {
    const { node, device, stage } = await machine();
    await stage();
    node.disk.unreadable.add(device);
    // blkid finds nothing on it, either.
    await expect(stage()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(mountPoints(node)).toEqual([]);
    node.disk.unreadable.clear();
    await stage();
    expect(mountPoints(node)).toEqual([stagingPath]);
  });

  it.each([use, block])('are released as usual: %j', async (of) => {
    const { node, host, device } = await lostDevice(of);
    await unpublishDevice(host, { device, targetPath }, signal);
    await unstageDevice(host, { device, stagingPath }, signal);
    expect(mountPoints(node)).toEqual([]);
  });

  it('are unmounted when only the file system was shut down by the kernel', async () => {
    const { node, host, device, stage } = await machine();
    await stage();
    const list = async () => {
      throw Object.assign(new Error('EIO: i/o error, scandir'), { code: 'EIO' });
    };
    const shutDown = { ...host, files: { ...host.files, list } };
    const before = node.disk.mounts[0];
    await stageDevice(shutDown, { device, stagingPath, use, mkfsParams: [] }, signal);
    expect(node.disk.mounts).toHaveLength(1);
    expect(node.disk.mounts[0]).not.toBe(before);
  });

  it('are left alone when they are readable or not on a device', async () => {
    const { node, stage } = await lostDevice();
    node.disk.unreadable.clear();
    await expect(stage()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    node.disk.mounts.splice(0);
    node.disk.mounts.push({
      device: '0:9',
      root: '/',
      mountPoint: stagingPath,
      readOnly: false,
      fileSystem: 'tmpfs',
      source: 'tmpfs',
    });
    await expect(stage()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
});

it.each([
  [undefined, []],
  ['', []],
  [' -i  8192 -O ^64bit ', ['-i', '8192', '-O', '^64bit']],
])('mkfsParams %j are split into %j', (text, words) => expect(readMkfsParams(text)).toEqual(words));

it.each(['/dev/sda', '-L $(reboot)', '-d /etc', 'x '.repeat(40)])('mkfsParams %j are rejected', (text) => {
  expect(() => readMkfsParams(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

it('a mount that the kernel made read-only is abnormal, and a requested read-only mount is not', () => {
  const mount = (options: string[], superOptions: string[]) => conditionOfMount({ options, superOptions } as never);
  expect(mount(['rw'], ['ro'])).toMatchObject({ abnormal: true });
  expect(mount(['ro'], ['ro'])).toMatchObject({ abnormal: false });
  expect(mount(['rw'], ['rw'])).toMatchObject({ abnormal: false });
});
