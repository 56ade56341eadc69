import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterDown, findLeftovers } from '@lateen/cluster';
import { systemRandom } from '@lateen/kernel';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { markedDevices } from '../block/marked-devices.ts';
import { noteMark, orphanedDevice } from '../block/orphaned-device.ts';

let undo = new AsyncDisposableStack();
afterEach(async () => {
  await undo.disposeAsync();
  undo = new AsyncDisposableStack();
});

/** The folder of a cluster whose machines are gone, and the device that one of them has left. */
async function lostCluster(): Promise<{ dir: string; mark: string; device: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'lateen-lost-'));
  const mark = systemRandom.suffix(10);
  undo.defer(() => clusterDown({ dir }));
  await noteMark(join(dir, 'machines', 'node-1', 'var-lib'), mark);
  const device = await orphanedDevice('pvc-1', mark);
  undo.defer(async () => {
    for (const { path } of await markedDevices(mark)) await execa('losetup', ['--detach', path]);
  });
  return { dir, mark, device };
}

describe.skipIf(process.getuid?.() !== 0)(
  'the device of a volume that a lost machine has left, without its file system',
  () => {
    it('belongs to its cluster and is removed with it, and not with another cluster of this host', async () => {
      const [one, two] = [await lostCluster(), await lostCluster()];
      const loopsOf = async (dir: string) =>
        (await findLeftovers({ dir })).filter(({ kind }) => kind === 'loop device');
      for (const { dir, mark, device } of [one, two])
        expect(await loopsOf(dir)).toEqual([{ kind: 'loop device', name: `${device} on /pvc-1.${mark}` }]);
      await clusterDown({ dir: one.dir });
      expect(await findLeftovers({ dir: one.dir })).toEqual([]);
      expect(await markedDevices(one.mark)).toEqual([]);
      expect(await markedDevices(two.mark)).toMatchObject([{ path: two.device, isLeaving: false }]);
    });
  },
);
