import { join } from 'node:path';
import { streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { Command } from 'commander';
import { benchArchive } from './archive/archive-cost.ts';
import { benchOpenArchive } from './archive/open-cost.ts';
import { benchAttributeCost } from './attribute-cost.ts';
import { benchSixVolumeBackup } from './backup/six-volume-backup.ts';
import { benchSmallObjects } from './backup/small-objects.ts';
import type { BenchRow } from './bench-row.ts';
import { benchBlockVolumes } from './block/block-volumes.ts';
import { benchBlockBackup } from './block-backup/block-backup.ts';
import { benchChangedBlocks } from './changed-blocks/changed-blocks.ts';
import { benchChangedFiles, databaseFiles } from './changed-files/changed-files.ts';
import { benchCollection } from './collection/collection.ts';
import { run as benchCsiSnapshot } from './csi-snapshot.ts';
import { benchDataMovement } from './data-movement.ts';
import { benchEngineSettings } from './engine/engine-settings.ts';
import { benchManyLocations } from './many-locations.ts';
import { benchMoverStart } from './mover-start.ts';
import { benchNodeAgentMemory } from './node-agent-memory.ts';
import { benchPlugins } from './plugins/plugins.ts';
import { benchPodVolumes } from './pod-volumes/pod-volumes.ts';
import { rowsMarkdown, rowsTable } from './print-rows.ts';
import { benchQueuedUploads } from './queued-uploads.ts';
import { benchInstalledRestore } from './restore/installed-restore.ts';
import { benchRestoreObjects } from './restore/restore-objects.ts';
import { benchRestoreDifferences } from './restore-differences/restore-differences.ts';
import { datasetNames } from './restore-volumes/datasets.ts';
import { benchRestoreVolumes } from './restore-volumes/restore-volumes.ts';
import { ways } from './restore-volumes/ways/ways.ts';
import { benchS3Payload } from './s3/s3-payload.ts';
import { benchSixVolumes } from './six-volumes/six-volumes.ts';
import { benchSplice } from './splice/splice-cost.ts';
import { benchStorageData } from './storage-data/storage-data.ts';
import { benchStorageLocal } from './storage-local/storage-local.ts';
import { benchStorageManagerMemory } from './storage-manager-memory.ts';
import { benchStorageNbd } from './storage-nbd/storage-nbd.ts';
import { benchStorageTicket } from './storage-volume/ticket-times.ts';
import { benchStorageAttach, benchStorageRebuild } from './storage-volume/volume-times.ts';
import { limitedCaseNames } from './within-256-mib/cases.ts';
import { movementNames } from './within-256-mib/movements.ts';
import { benchWithin256MiB } from './within-256-mib/within-256-mib.ts';

const groups = [
  'mover',
  'agent',
  'csi',
  'attributes',
  'engine',
  's3',
  'block',
  'block-backup',
  'splice',
  'changed-files',
  'changed-files-large',
  'changed-blocks',
  'movement',
  'six-volumes',
  'backup-volumes',
  'backup-objects',
  'pod-volumes',
  'queue',
  'locations',
  'archive',
  'collection',
  'restore-objects',
  'plugins',
  'restore-installed',
  'restore-volumes',
  'restore-differences',
  'within-256-mib',
  'storage-manager-memory',
  'storage-nbd',
  'storage-data',
  'storage-local',
  'storage-attach',
  'storage-rebuild',
  'storage-ticket',
] as const;
/** Groups that need a cluster. */
const clustered: readonly string[] = [
  'mover',
  'agent',
  'csi',
  'block',
  'movement',
  'six-volumes',
  'backup-volumes',
  'backup-objects',
  'pod-volumes',
  'restore-installed',
];

interface Flags {
  only?: string;
  markdown?: boolean;
  case?: string;
  way?: string;
  latency: string;
  scale: string;
  memory?: string;
  bandwidth?: string;
  stopAfter: string;
}

const command = new Command('npm run bench --')
  .description(
    'Runs the benchmarks. Each figure is the median of 5 runs, with its ratio to the fastest that the machine can do, measured in the same run. No benchmark fails because it is slow.',
  )
  .option('--only <groups>', `run only these groups, separated by commas: ${groups.join(', ')}`)
  .option(
    '--case <names>',
    `run only these cases; for restore-volumes: ${datasetNames.join(', ')}; for within-256-mib: ${limitedCaseNames.join(', ')}`,
  )
  .option(
    '--way <names>',
    `run only these ways; for restore-volumes: ${ways.map(({ name }) => name).join(', ')}; for within-256-mib: ${movementNames.join(', ')}`,
  )
  .option('--latency <ms>', 'latencies of the store, for restore-volumes and restore-differences', '0,10,30')
  .option('--scale <part>', 'share of the full data size, for restore-volumes and within-256-mib', '1')
  .option('--memory <MiB>', 'memory limit of the restoring process, for restore-volumes')
  .option('--bandwidth <MB/s>', 'bandwidth of the store, for restore-volumes')
  .option('--stop-after <seconds>', 'stop a way that takes longer than this, for restore-volumes', '120')
  .option('--markdown', 'print a Markdown table in the form of bench/RESULTS.md')
  .addHelpText('after', '\nExamples:\n  npm run bench\n  npm run bench -- --only movement')
  .showHelpAfterError()
  // 2 for a wrong command line, as in all programs of this project.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
const flags = command.parse().opts<Flags>();
const wanted: readonly string[] = flags.only?.split(',') ?? groups;
for (const name of wanted)
  if (!groups.some((group) => group === name))
    command.error(`--only: there is no group "${name}"; there are ${groups.join(', ')}`);

const root = join(import.meta.dirname, '..', '..');
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));

const say = (text: string) => process.stderr.write(`${text}\n`);
const clock = systemClock;

/** Runs groups without a cluster first, and then, if there are others, a cluster and those. */
async function main(): Promise<void> {
  const { signal } = interrupted;
  const rows: BenchRow[] = [];
  if (wanted.includes('queue')) rows.push(...(await benchQueuedUploads({ root, clock, signal, say })));
  if (wanted.includes('block-backup')) rows.push(...(await benchBlockBackup({ clock, signal, say })));
  if (wanted.includes('splice')) rows.push(...(await benchSplice({ clock, signal, say })));
  for (const name of ['changed-files', 'changed-files-large'] as const)
    if (wanted.includes(name)) rows.push(...(await benchChangedFiles({ clock, signal, say }, databaseFiles[name])));
  if (wanted.includes('changed-blocks')) rows.push(...(await benchChangedBlocks({ root, clock, signal, say })));
  if (wanted.includes('locations')) rows.push(...(await benchManyLocations({ root, clock, signal, say })));
  if (wanted.includes('collection')) rows.push(...(await benchCollection({ root, clock, signal, say })));
  if (wanted.includes('plugins')) rows.push(...(await benchPlugins({ root, clock, signal, say })));
  if (wanted.includes('restore-objects')) rows.push(...(await benchRestoreObjects({ root, clock, signal, say })));
  if (wanted.includes('restore-volumes')) rows.push(...(await benchRestoreVolumes(restoreVolumesOptions(signal))));
  if (wanted.includes('restore-differences'))
    rows.push(...(await benchRestoreDifferences({ root, latencies: latencies(), clock, signal, say })));
  if (wanted.includes('within-256-mib')) rows.push(...(await benchWithin256MiB(within256MiBOptions(signal))));
  if (wanted.includes('attributes')) rows.push(...(await benchAttributeCost(clock, signal)));
  if (wanted.includes('engine')) rows.push(...(await benchEngineSettings({ signal, say })));
  if (wanted.includes('archive'))
    rows.push(...(await benchArchive(clock, signal)), ...(await benchOpenArchive({ root, signal })));
  if (wanted.includes('s3')) rows.push(...(await benchS3Payload(signal)));
  if (wanted.includes('storage-manager-memory'))
    rows.push(...(await benchStorageManagerMemory({ root, clock, signal, say })));
  if (wanted.includes('storage-nbd')) rows.push(...(await benchStorageNbd({ clock, signal, say })));
  if (wanted.includes('storage-data')) rows.push(...(await benchStorageData({ clock, signal, say })));
  if (wanted.includes('storage-attach')) rows.push(...(await benchStorageAttach({ root, signal, say })));
  if (wanted.includes('storage-rebuild')) rows.push(...(await benchStorageRebuild({ root, signal, say })));
  if (wanted.includes('storage-ticket')) rows.push(...(await benchStorageTicket({ root, clock, signal, say })));
  if (wanted.includes('storage-local')) rows.push(...(await benchStorageLocal({ clock, signal, say })));
  if (wanted.some((group) => clustered.includes(group))) rows.push(...(await onCluster(signal)));
  console.log(flags.markdown === true ? rowsMarkdown(rows) : rowsTable(rows));
}

const latencies = (): number[] => flags.latency.split(',').map(Number);

function restoreVolumesOptions(signal: AbortSignal): Parameters<typeof benchRestoreVolumes>[0] {
  return {
    ...(flags.case !== undefined && { cases: flags.case.split(',') }),
    ...(flags.way !== undefined && { ways: flags.way.split(',') }),
    latencies: latencies(),
    scale: Number(flags.scale),
    stopAfterMs: Number(flags.stopAfter) * 1000,
    root,
    ...(flags.memory !== undefined && { memoryBytes: Number(flags.memory) * 1024 ** 2 }),
    ...(flags.bandwidth !== undefined && { bytesPerSecond: Number(flags.bandwidth) * 1e6 }),
    clock,
    signal,
    say,
  };
}

function within256MiBOptions(signal: AbortSignal): Parameters<typeof benchWithin256MiB>[0] {
  return {
    ...(flags.case !== undefined && { cases: flags.case.split(',') }),
    ...(flags.way !== undefined && { movements: flags.way.split(',') }),
    scale: Number(flags.scale),
    root,
    clock,
    signal,
    say,
  };
}

async function onCluster(signal: AbortSignal): Promise<BenchRow[]> {
  const lateen = await startLateen({
    progress: streamProgress(process.stderr, clock),
    clock,
    random: systemRandom,
    signal,
  });
  const rows: BenchRow[] = [];
  try {
    if (wanted.includes('agent')) rows.push(...(await benchNodeAgentMemory(lateen, signal)));
    if (wanted.includes('mover')) rows.push(...(await benchMoverStart(lateen, signal)));
    if (wanted.includes('csi')) rows.push(...(await benchCsiSnapshot()));
    if (wanted.includes('block')) rows.push(...(await benchBlockVolumes(process.env.PATH ?? '', say)));
    if (wanted.includes('six-volumes')) rows.push(...(await benchSixVolumes(lateen, { clock, signal, say })));
    const parts = { clock, signal, say };
    if (wanted.includes('backup-volumes')) rows.push(...(await benchSixVolumeBackup(lateen, parts)));
    if (wanted.includes('backup-objects')) rows.push(...(await benchSmallObjects(lateen, parts)));
    if (wanted.includes('pod-volumes')) rows.push(...(await benchPodVolumes(lateen, parts)));
    if (wanted.includes('restore-installed')) rows.push(...(await benchInstalledRestore({ lateen, ...parts })));
    if (wanted.includes('movement')) rows.push(...(await benchDataMovement(lateen, { clock, root, signal, say })));
  } finally {
    await lateen.close();
  }
  return rows;
}

try {
  await main();
} catch (error) {
  console.error(`lateen: ${describeError(error)}`);
  process.exitCode = 1;
}
