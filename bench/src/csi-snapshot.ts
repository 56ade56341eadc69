import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  command,
  createSnapshotRequest,
  createVolumeRequest,
  type DriverProcess,
  makeScratch,
  type Places,
  publishRequest,
  stageRequest,
  startDriver,
} from '@lateen/csi-rig';
import { systemClock } from '@lateen/kernel';
import type { BenchRow } from './bench-row.ts';
import { median } from './median.ts';

const MiB = 1024 ** 2;
const diskBytes = 20 * 1024 * MiB;
const volumeBytes = 1024 * MiB;
/** 600 MB of random data, so that there are no holes. */
const dataMiB = 573;
const runs = 5;
/** Issue 3, "Figures to reach". */
const targetMs = 200;
const callMs = 60_000;

const soon = () => ({ signal: systemClock.deadline(callMs) });

/**
 * CreateSnapshot of a 1 GiB ext4 volume with 600 MB of data, mounted and published (so that the freeze is measured too), compared with `cp
 * --reflink` of the same backing file in the same run. Medians of 5. Needs root.
 */
export async function run(): Promise<BenchRow[]> {
  await using scratch = await makeScratch('xfs', diskBytes);
  await using driver = await startDriver(scratch, { nodeId: 'bench' });
  const places = await publishedVolume(driver, scratch.directory);
  const data = join(scratch.stateParent, 'lateen/data');
  const [backing = ''] = await readdir(data);
  const copy = join(scratch.stateParent, 'copy.img');
  const snapshotMs: number[] = [];
  const rawMs: number[] = [];
  for (let at = 0; at < runs; at++) {
    rawMs.push(await timed(() => command('cp', '--reflink=always', join(data, backing), copy)));
    await rm(copy);
    const request = createSnapshotRequest(`bench-${at}`, places.volumeId);
    let snapshotId = '';
    snapshotMs.push(
      await timed(async () => {
        snapshotId = (await driver.controller.createSnapshot(request, soon())).snapshot?.snapshotId ?? '';
      }),
    );
    await driver.controller.deleteSnapshot({ snapshotId, secrets: {} }, soon());
  }
  await cleanUp(driver, places);
  return rowsOf(median(snapshotMs), median(rawMs));
}

/** The figures as rows. A pure function. */
export function rowsOf(snapshotMs: number, rawMs: number): BenchRow[] {
  const round = (value: number) => Math.round(value * 10) / 10;
  return [
    {
      name: 'CSI CreateSnapshot, 1 GiB volume with 600 MB, mounted, reflink',
      value: round(snapshotMs),
      unit: 'ms',
      target: `under ${targetMs} ms`,
      reached: snapshotMs < targetMs,
      note: `median of ${runs}`,
    },
    {
      name: 'CSI CreateSnapshot against raw cp --reflink',
      value: round(snapshotMs / rawMs),
      unit: '×',
      note: `raw cp --reflink of the same file: ${round(rawMs)} ms`,
    },
  ];
}

async function publishedVolume(driver: DriverProcess, directory: string): Promise<Places> {
  const request = createVolumeRequest('bench', volumeBytes, { fsType: 'ext4' });
  const { volume } = await driver.controller.createVolume(request, soon());
  const places: Places = {
    volumeId: volume?.volumeId ?? '',
    stagingTargetPath: join(directory, 'staging'),
    targetPath: join(directory, 'target'),
    fsType: 'ext4',
  };
  await driver.node.nodeStageVolume(stageRequest(places), soon());
  await driver.node.nodePublishVolume(publishRequest(places), soon());
  const file = join(places.targetPath, 'data');
  await command('dd', 'if=/dev/urandom', `of=${file}`, 'bs=1M', `count=${dataMiB}`, 'conv=fsync', 'status=none');
  return places;
}

async function cleanUp({ node, controller }: DriverProcess, places: Places): Promise<void> {
  await node.nodeUnpublishVolume(places, soon());
  await node.nodeUnstageVolume(places, soon());
  await controller.deleteVolume({ volumeId: places.volumeId, secrets: {} }, soon());
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startMs = systemClock.monotonicMs();
  await act();
  return systemClock.monotonicMs() - startMs;
}
