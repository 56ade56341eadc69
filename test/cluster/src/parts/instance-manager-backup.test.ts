import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceEvent } from '@lateen/block-engine';
import { systemClock as clock } from '@lateen/kernel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BackupRig, backupRig, endOf, noise, readAll, restored, writeAt } from '../block/backup-rig.ts';
import { processesOf, type RigNode } from '../block/instance-manager-rig.ts';
import { volume } from '../block/instance-manager-volume.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

const MiB = 1024 * 1024;
const testMs = 300_000;
let server: S3Server;
let rig: BackupRig | undefined;

beforeAll(async () => {
  server = await startS3Server();
}, 120_000);
afterAll(() => server?.[Symbol.asyncDispose]());
afterEach(async () => {
  process.kill(server.pid, 'SIGCONT');
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
}, testMs);

const started = async (path: string): Promise<BackupRig> => {
  rig = await backupRig(server, path);
  return rig;
};

const transfersOn = async ({ host }: RigNode): Promise<InstanceEvent[]> => {
  const found: InstanceEvent[] = [];
  for await (const event of host.watch({ signal: clock.deadline(20_000) })) {
    if (event.type === 'synced') break;
    if (event.type === 'changed' && event.instance.kind === 'transfer') found.push(event);
  }
  return found;
};

/** What transfers have left on a node: processes, folders, notes, records. */
async function leftovers({ runtime }: RigNode): Promise<string[]> {
  const processes = (await processesOf(runtime)).filter(({ command }) => command.includes(' transfer --config'));
  const names = await Promise.all(
    ['t', 'instances', 'processes'].map(async (folder) => {
      const all = await readdir(join(runtime, folder)).catch(() => [] as string[]);
      return all.filter((name) => folder === 't' || name.startsWith('transfer-'));
    }),
  );
  return [...processes.map(({ command }) => command), ...names.flat()];
}

describe('backups of a volume on two instance managers', () => {
  it('are made from any replica, read only what has changed, and come back byte for byte', {
    timeout: testMs,
  }, async () => {
    const { managed, snapshot, backup, restore, link } = await started('journey');
    const [n1, n2] = managed.nodes;
    const source = await link((await managed.engine(1, { 'r-a': 0, 'r-b': 1 })).endpoint);
    await writeAt(source, 0, noise(24 * MiB, 1));
    await writeAt(source, 300 * MiB, Buffer.alloc(8 * MiB, 'text'));
    await source.trim(4n * BigInt(MiB), 4 * MiB);
    await snapshot('s-1');
    const first = await endOf(backup(n2, { backup: 'b-1', snapshot: 's-1', replica: 'r-b' }));
    expect(first).toMatchObject({ ended: true, totalBytes: BigInt(28 * MiB), doneBytes: BigInt(28 * MiB) });
    expect(first.error).toBeUndefined();
    const asFirst = await readAll(source, volume.bytes);

    // 20 MiB in five pieces, none at the start of a block.
    for (const [n, at] of [30, 101, 162, 223, 321].entries())
      await writeAt(source, at * MiB + 512, noise(4 * MiB, 10 + n));
    await snapshot('s-2');
    const second = await endOf(backup(n1, { backup: 'b-2', snapshot: 's-2', replica: 'r-a' }));
    expect(second).toMatchObject({ ended: true });
    expect(second.error).toBeUndefined();
    expect(Number(second.totalBytes)).toBeLessThanOrEqual(60 * MiB);
    expect(Number(second.totalBytes)).toBeGreaterThanOrEqual(20 * MiB);
    const asSecond = await readAll(source, volume.bytes);

    const sink = await link((await managed.engine(1, { 'r-c': 0 }, {}, restored)).endpoint);
    const full = await endOf(restore({ restore: 'to-1', backup: 'b-1', isNew: true }));
    expect(full).toMatchObject({ ended: true, totalBytes: BigInt(28 * MiB) });
    expect(full.error).toBeUndefined();
    expect((await readAll(sink, volume.bytes)).equals(asFirst)).toBe(true);
    const next = await endOf(restore({ restore: 'to-2', backup: 'b-2', since: 'b-1' }));
    expect(next.error).toBeUndefined();
    expect(next.totalBytes).toBe(second.totalBytes);
    expect((await readAll(sink, volume.bytes)).equals(asSecond)).toBe(true);

    // Who asks again is told the end, also of a serve that was started since.
    await n1.kill();
    await n1.start();
    expect(await endOf(backup(n1, { backup: 'b-2', snapshot: 's-2', replica: 'r-a' }))).toEqual(second);
    for (const name of ['b-2', 'to-1', 'to-2']) await managed.stop(n1, 'transfer', name, 0);
    await managed.stop(n2, 'transfer', 'b-1', 0);
    for (const node of managed.nodes) {
      expect(await leftovers(node)).toEqual([]);
      expect(await transfersOn(node)).toEqual([]);
    }
  });
});
