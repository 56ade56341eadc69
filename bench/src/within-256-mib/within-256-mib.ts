import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeScratch, type Scratch } from '@lateen/csi-rig';
import { type ImageProgram, writeImageProgram } from '@lateen/image';
import type { Clock } from '@lateen/kernel';
import { type S3Server, startS3Server } from '@lateen/store-rig';
import type { BenchRow } from '../bench-row.ts';
import { writeTree } from '../restore-volumes/write-tree.ts';
import { type LimitedCase, limitedCase, limitedCaseNames } from './cases.ts';
import { isWhole, type LimitedResult, limitRows, noteOf } from './limit-rows.ts';
import { type MoverOutcome, runMeasuredMover } from './measured-mover.ts';
import { type Movement, movementNames, movements } from './movements.ts';
import { makeShopRepository, type ShopRepository } from './shop-repository.ts';

const limitBytes = 256 * 1024 ** 2;
/** Sparse: only written blocks use room. */
const volumeBytes = 128 * 1024 ** 3;
/** Free room on the disk for other programs. */
const spareBytes = 4e9;

export interface Within256MiBOptions {
  /** Default: all. */
  cases?: readonly string[];
  movements?: readonly string[];
  /** Scale of data sets, 1 is the full size. */
  scale: number;
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/**
 * Volumes moved by the mover as in the image, with the real kopia and a real S3 server, in a cgroup of 256 MiB: each of the four movements
 * once, on a newly mounted volume. Needs root, loop devices and cgroup v1.
 */
export async function benchWithin256MiB(options: Within256MiBOptions): Promise<BenchRow[]> {
  const wanted = options.movements ?? movementNames;
  for (const name of wanted)
    if (!movementNames.some((each) => each === name))
      throw new Error(`--way: there is no "${name}"; there are ${movementNames.join(', ')}`);
  const cases = (options.cases ?? limitedCaseNames).map((name) => limitedCase(name, options.scale));
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-image-'));
  try {
    const program = await writeImageProgram('data-mover', options.root, directory);
    const results: LimitedResult[] = [];
    for (const each of cases) results.push(...(await measureCase(each, wanted, program, options)));
    return limitRows(results);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Common parameters of all movements of a case. */
interface Place extends Pick<Within256MiBOptions, 'clock' | 'signal' | 'say'> {
  limited: LimitedCase;
  program: ImageProgram;
  server: S3Server;
  results: LimitedResult[];
}

interface Stored {
  repository: ShopRepository;
  snapshotID: string;
}

async function measureCase(
  limited: LimitedCase,
  wanted: readonly string[],
  program: ImageProgram,
  options: Within256MiBOptions,
): Promise<LimitedResult[]> {
  const { dataset } = limited;
  const { bavail, bsize } = await statfs(tmpdir());
  const missing = limited.diskBytes + spareBytes - bavail * bsize;
  if (missing > 0) throw new Error(`${dataset.title}: ${(missing / 1e9).toFixed(1)} GB more are needed on the disk`);
  await using server = await startS3Server();
  await server.makeBucket('backups');
  const place: Place = { ...options, limited, program, server, results: [] };
  const chosen = movements.filter(({ name }) => wanted.includes(name));
  // The volume is removed before another one needs its room.
  const stored = await backUpAll(place, chosen);
  for (const movement of chosen.filter(({ direction }) => direction === 'restore'))
    if (stored !== undefined) await restore(place, movement, stored);
  return place.results;
}

async function backUpAll(place: Place, chosen: readonly Movement[]): Promise<Stored | undefined> {
  const { dataset } = place.limited;
  place.say(`${dataset.title}: making the volume`);
  await using volume = await makeScratch('xfs', volumeBytes);
  await writeTree(dataset, volume.stateParent);
  let stored: Stored | undefined;
  for (const movement of chosen.filter(({ direction }) => direction === 'backup'))
    stored = (await backUp(place, volume, movement)) ?? stored;
  const isRestored = chosen.some(({ direction }) => direction === 'restore');
  return stored ?? (isRestored ? await backUpAnyhow(place, volume) : undefined);
}

/** First without a limit, if that is compared. Resolves with the ID of the last snapshot. */
async function backUp(place: Place, volume: Scratch, movement: Movement): Promise<Stored | undefined> {
  let stored: Stored | undefined;
  for (const memoryBytes of limitsOf(place)) {
    const upload = await uploaded(place, volume, movement, memoryBytes);
    tell(place, movement, memoryBytes, upload.outcome);
    stored = upload.stored ?? stored;
  }
  return stored;
}

/** Not measured: only needed by restores. */
async function backUpAnyhow(place: Place, volume: Scratch): Promise<Stored | undefined> {
  const [movement] = movements;
  if (movement === undefined) return undefined;
  const { stored, outcome } = await uploaded(place, volume, movement, undefined);
  if (stored === undefined) place.say(`  cannot be backed up: ${outcome.failure}`);
  return stored;
}

async function uploaded(
  { limited, server, signal, ...place }: Place,
  volume: Scratch,
  movement: Movement,
  memoryBytes: number | undefined,
): Promise<{ outcome: MoverOutcome; stored: Stored | undefined }> {
  const prefix = `${movement.name}-${memoryBytes ?? 'free'}`;
  const repository = await makeShopRepository(server, prefix, signal);
  await volume.remountReadOnly();
  const outcome = await runMeasuredMover({
    ...place,
    ...repository,
    server,
    signal,
    movement: movement.resource(limited.config, ''),
    volumePath: volume.stateParent,
    memoryBytes,
  });
  if (outcome.message === undefined) return { outcome, stored: undefined };
  const { snapshotID } = JSON.parse(outcome.message) as { snapshotID: string };
  return { outcome, stored: { repository, snapshotID } };
}

async function restore(place: Place, movement: Movement, { repository, snapshotID }: Stored): Promise<void> {
  for (const memoryBytes of limitsOf(place)) {
    await using target = await makeScratch('xfs', volumeBytes);
    const outcome = await runMeasuredMover({
      ...place,
      ...repository,
      movement: movement.resource(place.limited.config, snapshotID),
      volumePath: target.stateParent,
      memoryBytes,
    });
    tell(place, movement, memoryBytes, outcome);
  }
}

const limitsOf = ({ limited }: Place): (number | undefined)[] =>
  limited.comparesTime ? [undefined, limitBytes] : [limitBytes];

function tell(
  { limited, results, say }: Place,
  { name }: Movement,
  memoryBytes: number | undefined,
  outcome: MoverOutcome,
) {
  const isLimited = memoryBytes !== undefined;
  const how = `${isLimited ? 'within 256 MiB' : 'no limit'}: ${outcome.figures.seconds.toFixed(1)} s`;
  say(`  ${name}, ${how}; ${noteOf(outcome)}${isWhole(outcome) ? '' : '  NOT whole'}`);
  results.push({ title: limited.dataset.title, movement: name, isLimited, outcome });
}
