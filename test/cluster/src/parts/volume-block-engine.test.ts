import { constants } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, makeScratch, type Scratch } from '@lateen/csi-rig';
import { InFlight } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import { describeBlockEngine } from '@lateen/testing';
import { hostCommands, localBlockEngine, nodeFiles, openVolumes } from '@lateen/volume';
import { describe, expect, it } from 'vitest';

const MiB = 1024 * 1024;
const diskBytes = 4096 * MiB;
const { signal } = new AbortController();
const isRoot = process.getuid?.() === 0;

async function engineOn(scratch: Scratch) {
  const host = {
    run: hostCommands({ clock: systemClock, environment: process.env }),
    files: nodeFiles,
    log: silentLogger,
    clock: systemClock,
  };
  const stateDirectory = join(scratch.stateParent, 'state');
  const deps = await openVolumes({ stateDirectory, nodeId: 'node-1', host }, signal);
  return localBlockEngine({ ...deps, inFlight: new InFlight() });
}

/** Writes synchronously through the device: when it returns, the data is in the file below. */
async function write(device: string, at: number, bytes: Uint8Array): Promise<void> {
  await using handle = await open(device, constants.O_WRONLY | constants.O_DSYNC);
  await handle.write(bytes, 0, bytes.length, at);
}

async function read(device: string, at: number, lengthBytes: number): Promise<Uint8Array> {
  await using handle = await open(device);
  const bytes = new Uint8Array(lengthBytes);
  await handle.read(bytes, 0, lengthBytes, at);
  return bytes;
}

describe.skipIf(!isRoot)('on loop devices', () => {
  for (const fileSystem of ['xfs', 'ext4'] as const) {
    describeBlockEngine(`local on ${fileSystem}`, async () => {
      const scratch = await makeScratch(fileSystem, diskBytes);
      return {
        engine: await engineOn(scratch),
        node: 'node-1',
        volumeBytes: 32 * MiB,
        write,
        read,
        deviceBytes: async (device) => Number(await command('blockdev', '--getsize64', device)),
        close: async () => scratch[Symbol.asyncDispose](),
      };
    });
  }

  it('trims what a mounted file system has freed, and is not detached while it is mounted', {
    timeout: 120_000,
  }, async () => {
    await using scratch = await makeScratch('xfs', diskBytes);
    const engine = await engineOn(scratch);
    const by = { signal, by: 'test' };
    await engine.create({ name: 'a', sizeBytes: BigInt(64 * MiB) }, { signal });
    const { devicePath } = await engine.attach('a', 'node-1', by);
    const at = join(scratch.directory, 'mounted');
    await mkdir(at);
    await command('mkfs.ext4', '-q', devicePath);
    await command('mount', devicePath, at);
    await writeFile(join(at, 'file'), Buffer.alloc(16 * MiB, 1), { flush: true });
    await rm(join(at, 'file'));
    await command('sync', '--file-system', at);
    expect((await engine.trim('a', { signal })).freedBytes).toBeGreaterThanOrEqual(15 * MiB);
    await expect(engine.detach('a', 'node-1', by)).rejects.toMatchObject({ code: 'VOLUME_BUSY' });
    await command('umount', at);
    await engine.detach('a', 'node-1', by);
    expect(await engine.get('a', { signal })).toMatchObject({ attachedTo: [] });
  });

  it('is not detached while a process has the device open', { timeout: 120_000 }, async () => {
    await using scratch = await makeScratch('xfs', diskBytes);
    const engine = await engineOn(scratch);
    const by = { signal, by: 'test' };
    await engine.create({ name: 'a', sizeBytes: BigInt(64 * MiB) }, { signal });
    const { devicePath } = await engine.attach('a', 'node-1', by);
    const handle = await open(devicePath, 'r+');
    await expect(engine.detach('a', 'node-1', by)).rejects.toMatchObject({ code: 'VOLUME_BUSY' });
    await handle.close();
    await engine.detach('a', 'node-1', by);
  });
});
