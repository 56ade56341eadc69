import { describeError, isAppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { letTimePass } from '@lateen/testing';
import { kopiaUploader } from '@lateen/uploader';
import { type AnswerKind, answerKinds } from './driver-answers.ts';
import type { StorageSnapshot } from './storage.ts';
import { blockSplice, commandLine, type PlantedBug, type UploadFate } from './upload-ports.ts';
import { UploadWorld } from './upload-world.ts';

export interface UploadsResult {
  seed: number;
  violations: readonly string[];
  trace: readonly string[];
  hash: string;
  /** How uploads ended, for statistics. */
  ends: readonly string[];
  lastedMs: number;
}

const never = new AbortController().signal;
/** The text of the full upload that follows a failed verification. */
const differs = 'base snapshot differs from the volume';

/** Runs one seed: a volume is written, resized and uploaded; after each step every snapshot is restored and compared. */
export async function simulateUploads(seed: number, bug: PlantedBug = {}): Promise<UploadsResult> {
  const world = new UploadWorld(seed);
  const { dice, repository } = world;
  // Only a verification of everything finds a driver that leaves out changes.
  const isLiar = dice.chance(0.2);
  const plan: UploadsPlan = {
    isLiar,
    verify: isLiar
      ? { every: 1, sharePercent: 100 }
      : { every: dice.between(0, 3), sharePercent: dice.pick([0, 10, 100]) },
    lossRate: dice.pick([0, 0, 0.01, 0.05]),
    trouble: dice.pick([0, 0.3, 0.7]),
    bug,
  };
  world.note(
    `${JSON.stringify({ ...plan, bug: undefined })}, ${world.storage.content.length} bytes, ${world.splitter}`,
  );
  for (let step = dice.between(10, 30); step > 0 && world.violations.length === 0; step--) {
    await world.clock.advance(dice.between(1, 3_600) * 1_000);
    for (let writes = dice.between(0, 6); writes > 0; writes--) write(world);
    await happen(world, plan);
    repository.lossRate = 0;
    repository.roomBytes = Number.POSITIVE_INFINITY;
    await world.judge();
  }
  return {
    seed,
    violations: world.violations,
    trace: world.trace.lines,
    hash: world.trace.hash,
    ends: world.ends,
    lastedMs: world.clock.monotonicMs(),
  };
}

interface UploadsPlan {
  isLiar: boolean;
  verify: UploadFate['verify'];
  /** Probability that the server is killed, at each request. */
  lossRate: number;
  /** Probability of a fault in an upload. */
  trouble: number;
  bug: PlantedBug;
}

/** A write or a discard; many begin or end at a chunk boundary, or one byte beside it. */
function write({ storage: { content }, dice, chunkBytes }: UploadWorld): void {
  const near = (offset: number): number => {
    const at = dice.chance(0.5) ? offset : Math.round(offset / chunkBytes) * chunkBytes + dice.between(-1, 1);
    return Math.min(content.length, Math.max(0, at));
  };
  const offset = near(dice.between(0, content.length - 1));
  const end = near(offset + dice.between(1, dice.pick([1, 100, 4_000])));
  content.fill(dice.chance(0.2) ? 0 : dice.between(1, 255), offset, Math.max(offset, end));
}

type Event = (world: UploadWorld, plan: UploadsPlan) => Promise<void> | void;

/** Events other than writes, and their frequency. */
const events: readonly [name: string, weight: number, Event][] = [
  ['the volume is uploaded', 12, (world, plan) => upload(world, plan, world.storage.takeSnapshot())],
  ['two uploads at once', 3, twoUploads],
  ['the volume is resized', 1, (world) => world.storage.resize(world.anySize())],
  [
    'another volume is in its place',
    1,
    ({ storage, dice }) => storage.replace(shuffled(storage.content, dice.between(0, 255))),
  ],
  ['another system makes a snapshot', 1, foreignSnapshot],
  ['a snapshot is deleted', 2, deleteSnapshot],
  ['maintenance', 2, (world) => world.collectGarbage()],
  ['the base is deleted', 1, loseBases],
  ['the base is lost on the storage', 1, loseOnStorage],
];

async function happen(world: UploadWorld, plan: UploadsPlan): Promise<void> {
  const weighted = events.flatMap((event) => Array.from({ length: event[1] }, () => event));
  const [name, , act] = world.dice.pick(weighted);
  world.note(name);
  await act(world, plan);
}

function loseBases(world: UploadWorld): void {
  for (const base of world.bases) world.loseBase(base);
}

function loseOnStorage({ bases, storage }: UploadWorld): void {
  for (const { snapshotHandle } of bases) storage.deleteSnapshot(snapshotHandle);
}

const shuffled = (content: Buffer, by: number): Buffer => Buffer.from(content.map((byte) => byte ^ by));

async function twoUploads(world: UploadWorld, plan: UploadsPlan): Promise<void> {
  const first = world.storage.takeSnapshot();
  for (let writes = world.dice.between(0, 3); writes > 0; writes--) write(world);
  const second = world.storage.takeSnapshot();
  await Promise.all([upload(world, plan, first), upload(world, plan, second)]);
}

/** A snapshot by Velero, or by Lateen without changed blocks. */
async function foreignSnapshot({
  repository,
  storage,
  expected,
  source,
  chunkBytes,
  clock,
}: UploadWorld): Promise<void> {
  const id = await repository.takeWhole(storage.content, { source, chunkBytes, startMs: clock.now(), fileName: '/x' });
  expected.set(id, Buffer.from(storage.content));
}

function deleteSnapshot({ repository, expected, dice }: UploadWorld): void {
  if (expected.size === 0) return;
  const id = dice.pick([...expected.keys()]);
  expected.delete(id);
  repository.manifests.delete(id);
}

const harmless = answerKinds.filter((kind) => kind !== 'lying');

function fateOf({ dice }: UploadWorld, { isLiar, trouble, verify }: UploadsPlan, target: StorageSnapshot): UploadFate {
  const isTroubled = dice.chance(trouble);
  const honest: AnswerKind = isTroubled ? dice.pick(harmless) : 'correct';
  return {
    target,
    isFixed: dice.chance(0.5),
    changed: isLiar && dice.chance(0.5) ? 'lying' : honest,
    // A driver that leaves out blocks with data is found by no upload: that is a defect that is planted.
    allocated: dice.chance(trouble) ? dice.pick(harmless) : 'correct',
    skipsUnused: dice.chance(0.8),
    hasService: !(isTroubled && dice.chance(0.1)),
    verify,
    isEngineKilled: isTroubled && dice.chance(0.1),
  };
}

/** One movement: a failed upload is tried a second time. */
async function upload(world: UploadWorld, plan: UploadsPlan, target: StorageSnapshot): Promise<void> {
  const { dice, repository, storage } = world;
  world.attempted.push(target.content);
  for (let attempt = 1; attempt <= 2; attempt++) {
    const fate = { ...fateOf(world, plan, target), ...(plan.bug.allocated && { allocated: plan.bug.allocated }) };
    world.note(
      `  upload of ${target.handle}, attempt ${attempt}: changes are ${fate.changed}, blocks with data ${fate.allocated}`,
    );
    repository.lossRate = plan.lossRate;
    repository.roomBytes = dice.chance(plan.trouble / 10)
      ? repository.storedBytes + dice.between(0, 8_000)
      : Number.POSITIVE_INFINITY;
    const made = await letTimePass(attemptUpload(world, fate, plan), world.clock);
    if (made === undefined) continue;
    world.expected.set(made, target.content);
    if (dice.chance(0.8)) return world.keep(target, made);
    break;
  }
  storage.deleteSnapshot(target.handle);
}

/** The ID of the snapshot; undefined when the upload has failed. */
async function attemptUpload(
  world: UploadWorld,
  fate: UploadFate,
  { bug, isLiar }: UploadsPlan,
): Promise<string | undefined> {
  const { clock, dice, source } = world;
  const { content } = fate.target;
  const read = async (into: Uint8Array, offset: number) => into.set(content.subarray(offset, offset + into.length));
  const none = () => Promise.reject(new Error('not for a device'));
  const device = {
    path: '/uid',
    sizeBytes: content.length,
    read,
    write: none,
    punch: none,
    flush: none,
    close: async () => {},
  };
  const uploader = kopiaUploader({
    session: commandLine(world, fate),
    clock,
    random: dice.random,
    programs: { run: none },
    block: {
      devices: { open: async () => device },
      tools: () => ({ run: none }),
      scratchDirectory: '/none',
      // Volumes are smaller than the gap that is read in earnest.
      gapBytes: dice.pick([1, 200]),
    },
    blockSplice: blockSplice(world, fate, bug),
    log: silentLogger,
    parallelFiles: 1,
    discardMs: 1_000,
    flush: none,
  });
  const request = { volumePath: '/uid', volumeMode: 'Block', source, onProgress: () => {}, signal: never } as const;
  try {
    const config = { SkipUnusedBlocks: String(fate.skipsUnused) };
    const { snapshotID, readReport } = await uploader.upload({ ...request, config });
    const reason = readReport?.fullReadReason;
    world.note(`  ${snapshotID} ${reason === undefined ? 'is spliced' : `is whole: ${reason}`}`);
    world.ends.push(reason ?? 'spliced');
    if (reason === differs && !isLiar) world.violated('a verification has found a difference that there is not');
    return snapshotID;
  } catch (error) {
    if (!isAppError(error)) throw error;
    world.note(`  it has failed: ${describeError(error)}`);
    world.ends.push('failed');
    return undefined;
  }
}
