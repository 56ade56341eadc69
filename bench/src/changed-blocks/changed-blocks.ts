import { mkdtemp, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageProgram, writeImageProgram } from '@lateen/image';
import { type Clock, type Random, systemRandom } from '@lateen/kernel';
import { type S3Server, startS3Server } from '@lateen/store-rig';
import type { BenchRow } from '../bench-row.ts';
import { type BenchDevice, benchDevices } from '../block/used-device.ts';
import { median } from '../median.ts';
import { makeShopRepository } from '../within-256-mib/shop-repository.ts';
import { changedChunkBytes, changeVolume, noise, useVolume, volumeBytes } from './changed-volume.ts';
import { type Uploaded, uploadRig } from './upload-rig.ts';

const MiB = 1024 * 1024;
const rounds = 3;
const keeping = { dataMoverConfig: { KeepBaseSnapshot: 'true' } };

interface Options {
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/** Figures of one round, in ms and bytes. */
interface Round {
  changesMs: number;
  wholeMs: number;
  /** Times of the data paths alone. */
  changesPathMs: number;
  wholePathMs: number;
  rawMs: number;
  readBytes: number;
  chunkBytes: number;
  uploadedBytes: number;
  residentBytes: number;
}

interface Measured {
  rounds: Round[];
  /** The first upload, with and without the setting. */
  firstMs: { keeping: number; plain: number };
}

/**
 * 10 MiB of a thin volume of 10 GiB change, and the mover of the image uploads its next snapshot: by changed blocks, and by a full read,
 * alternating. Times are of the whole process. Needs root and cgroup v1; store, API server and SnapshotMetadata service run on this
 * machine.
 */
export async function benchChangedBlocks({ root, clock, signal, say }: Options): Promise<BenchRow[]> {
  await using server = await startS3Server();
  await server.makeBucket('backups');
  const program = await writeImageProgram('data-mover', root, await mkdtemp(join(server.directory, 'image-')));
  await using devices = await benchDevices();
  const device = await devices.fresh(volumeBytes);
  const random = systemRandom;
  await useVolume(device, random);
  return rowsOf(await measure({ server, program, device, random, clock, signal, say }));
}

interface Place extends Omit<Options, 'root'> {
  server: S3Server;
  program: ImageProgram;
  device: BenchDevice;
  random: Random;
}

async function measure(place: Place): Promise<Measured> {
  const { server, random, device, clock, signal, say } = place;
  const ms = ({ figures }: Uploaded): number => figures.seconds * 1000;
  const pathMs = ({ figures }: Uploaded): number => figures.dataPathSeconds * 1000;
  say('changed-blocks: first upload, without the setting');
  const plain = await firstUpload(place);
  say('changed-blocks: first upload');
  await using rig = await uploadRig({ ...place, repository: await makeShopRepository(server, 'keeping', signal) });
  let last = await rig.upload(keeping);
  const firstMs = { keeping: ms(last), plain };
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`changed-blocks: round ${round} of ${rounds}`);
    await rig.keep(last);
    const pairs = await changeVolume(device, random);
    rig.tell(pairs);
    const changes = await rig.upload(keeping);
    const { readReport } = changes.result;
    if (readReport?.fullReadReason !== undefined) throw new Error(`everything was read: ${readReport.fullReadReason}`);
    // Everything to store is in the repository by now.
    last = await rig.upload({ ...keeping, parentSnapshot: 'none' });
    const chunkBytes = changedChunkBytes(pairs);
    measured.push({
      changesMs: ms(changes),
      wholeMs: ms(last),
      changesPathMs: pathMs(changes),
      wholePathMs: pathMs(last),
      rawMs: await rawMs(join(server.directory, 'raw'), noise(chunkBytes, random), clock),
      readBytes: readReport?.readBytes ?? 0,
      chunkBytes,
      uploadedBytes: readReport?.uploadedBytes ?? 0,
      residentBytes: changes.figures.anonymousBytesMax,
    });
  }
  return { rounds: measured, firstMs };
}

/** Into a separate repository, so that nothing of it is stored already. */
async function firstUpload(place: Place): Promise<number> {
  await using rig = await uploadRig({
    ...place,
    repository: await makeShopRepository(place.server, 'plain', place.signal),
  });
  return (await rig.upload({})).figures.seconds * 1000;
}

async function rawMs(path: string, data: Buffer, clock: Clock): Promise<number> {
  const startMs = clock.monotonicMs();
  await using file = await open(path, 'w');
  await file.write(data);
  await file.sync();
  return clock.monotonicMs() - startMs;
}

function rowsOf({ rounds: measured, firstMs }: Measured): BenchRow[] {
  const of = (take: (round: Round) => number): number => median(measured.map(take));
  const [changesMs, wholeMs, raw] = [of((one) => one.changesMs), of((one) => one.wholeMs), of((one) => one.rawMs)];
  const readRatio = Math.max(...measured.map(({ readBytes, chunkBytes }) => readBytes / chunkBytes));
  const ratio = of((one) => one.wholeMs / one.changesMs);
  const pathRatio = of((one) => one.wholePathMs / one.changesPathMs);
  const residentMiB = Math.max(...measured.map(({ residentBytes }) => residentBytes)) / MiB;
  const first = firstMs.keeping / firstMs.plain;
  return [
    {
      name: '10 GiB, thin, 10 MiB changed in 10 places: changes read',
      value: changesMs,
      unit: 'ms',
      target: 'at most 2 s + 1.5 × raw',
      reached: changesMs <= 2000 + 1.5 * raw,
      note: `the whole process; ${of((one) => one.uploadedBytes) / MiB} MiB of chunks stored; raw writing of them ${raw.toFixed(0)} ms`,
    },
    {
      name: 'the same: bytes read / bytes of changed chunks, at most',
      value: readRatio,
      unit: '×',
      target: 'at most 3 ×',
      reached: readRatio <= 3,
      note: `${of((one) => one.readBytes) / MiB} MiB read`,
    },
    {
      name: 'the same: read as a whole',
      value: wholeMs,
      unit: 'ms',
      note: 'parentSnapshot none; nothing new to store',
    },
    {
      name: 'the same: read as a whole / changes read, data path alone',
      value: pathRatio,
      unit: '×',
      target: 'at least 20 ×',
      reached: pathRatio >= 20,
      note: `median of the ratios of ${rounds} pairs; ${of((one) => one.wholePathMs).toFixed(0)} and ${of((one) => one.changesPathMs).toFixed(0)} ms in the log of the mover`,
    },
    {
      name: 'the same: read as a whole / changes read, the whole process',
      value: ratio,
      unit: '×',
      note: 'with the start of the mover and its end',
    },
    {
      name: 'the same: anonymous memory of mover and repository server, at most',
      value: residentMiB,
      unit: 'MiB',
      target: 'at most 256 MiB',
      reached: residentMiB <= 256,
      note: 'in a cgroup of 256 MiB, as in a pod with that limit',
    },
    {
      name: 'first upload of this volume: with KeepBaseSnapshot / without',
      value: first,
      unit: '×',
      target: 'at most 1.05 ×',
      reached: first <= 1.05,
      note: `${(firstMs.keeping / 1000).toFixed(1)} s and ${(firstMs.plain / 1000).toFixed(1)} s, each into an empty repository`,
    },
  ];
}
