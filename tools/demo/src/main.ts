import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterPackages, during, ensurePackages, loadImage, type Progress, streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { type RunningLateen, startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { Command, Option } from 'commander';
import { execa } from 'execa';
import { type BackupJourneyResult, runBackupJourney } from './backup-journey.ts';
import type { BackupJourneyOptions, BackupJourneyPorts } from './backup-journey-options.ts';
import { cleanUpShop } from './clean-up-shop.ts';
import { podName } from './cluster/workload.ts';
import { countFiles, findSourceFolder, type SourceFolder } from './content/source-folder.ts';
import { lateenCli } from './lateen-cli.ts';
import { podShell } from './pod-shell.ts';
import { replicatedDemo, replicatedDir } from './replicated/replicated-demo.ts';
import { printResult } from './report/print-result.ts';
import { databasePod } from './shop/create-shop.ts';
import { kubectlIn } from './shop/kubectl.ts';
import { postgresImage, postgresImageTag } from './shop/postgres-image.ts';
import { warehousePod } from './warehouse/warehouse.ts';

interface Flags {
  kubeconfig?: string;
  existing?: boolean;
  dir?: string;
  source?: string;
  storageClass?: string;
  databaseImage: string;
  storage: 'local' | 'replicated';
}

const command = new Command('npm run demo --')
  .description(
    'Shows Lateen on real data: a shop with a database is backed up while customers buy, then deleted, restored, and restored a second time into another namespace.',
  )
  .addOption(
    new Option(
      '--storage <engine>',
      'local: backup and restore; replicated: a database on a volume with three replicas on three nodes, two of which are lost, one after the other',
    )
      .choices(['local', 'replicated'])
      .default('local'),
  )
  .option('--kubeconfig <file>', 'use the cluster of this kubeconfig; Lateen has to be installed on it')
  .option('--existing', 'use the cluster of the environment variable KUBECONFIG; Lateen has to be installed on it')
  .option(
    '--dir <folder>',
    'folder of the cluster that the demo starts, if it uses no existing one (default: .lateen/cluster)',
  )
  .option(
    '--source <folder>',
    'directory whose files are backed up (default: a distribution of Go or Node with 10,000 files)',
  )
  .option('--storage-class <name>', 'StorageClass of the volumes (default: one whose CSI driver can take snapshots)')
  .option(
    '--database-image <name>',
    'image of PostgreSQL on an existing cluster; on its own cluster, the demo builds one from Debian packages',
    'docker.io/library/postgres:17',
  )
  .addHelpText(
    'after',
    '\nExamples:\n  npm run demo\n  npm run demo -- --storage replicated\n  npm run demo -- --source /usr/share\n  npm run demo -- --kubeconfig ~/.kube/config',
  )
  .showHelpAfterError()
  // 2 for a wrong command line, as in all programs of this project.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const flags = command.parse().opts<Flags>();
const kubeconfig = flags.kubeconfig ?? (flags.existing ? process.env.KUBECONFIG : undefined);
if (flags.existing && kubeconfig === undefined)
  command.error(
    '--existing uses the cluster of KUBECONFIG, and KUBECONFIG is not set: set it, or use --kubeconfig FILE',
  );

if (flags.storage === 'replicated' && kubeconfig !== undefined)
  command.error(
    '--storage replicated turns nodes off, so it needs a cluster of its own: leave --kubeconfig and --existing out',
  );

const root = join(import.meta.dirname, '..', '..', '..');
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));
const { signal } = interrupted;

function portsFor(lateen: RunningLateen, scratch: string): BackupJourneyPorts {
  return {
    kube: lateen.kube,
    clock: systemClock,
    random: systemRandom,
    lateen: lateenCli(root, lateen.kubeconfig, signal),
    shell: (namespace) => podShell({ ...lateen, namespace, pod: podName, signal }),
    database: (namespace) => podShell({ ...lateen, namespace, pod: databasePod, signal }),
    warehouse: (namespace) => podShell({ ...lateen, namespace, pod: warehousePod, signal }),
    ownInstallation: lateen.cluster !== undefined,
    kubectl: (namespace) => kubectlIn({ ...lateen, namespace, signal }),
    bucket: lateen.bucket,
    readArchive: async (file, path) => (await execa('tar', ['-xzOf', file, path], { cancelSignal: signal })).stdout,
    scratch,
    say: (text) => console.log(`\n== ${text}`),
  };
}

type DatabaseImage = (lateen: RunningLateen) => Promise<string>;

/**
 * The database's image. For a cluster of the demo it is built and loaded; the build starts immediately, because most of its time is spent
 * on downloads.
 */
function databaseImages(progress: Progress): DatabaseImage {
  if (kubeconfig !== undefined) return async () => flags.databaseImage;
  const built = during(progress, 'building the image of PostgreSQL', (step) =>
    postgresImage((text) => step.update(text), signal),
  );
  // Its error is thrown where the image is needed.
  built.catch(() => {});
  return async ({ cluster }) => {
    const { archive } = await built;
    if (cluster !== undefined)
      await during(progress, 'loading the image of PostgreSQL', () => loadImage(cluster, archive, signal));
    return postgresImageTag;
  };
}

async function main(): Promise<boolean> {
  const progress = streamProgress(process.stdout, systemClock);
  if (kubeconfig === undefined) await ensurePackages(clusterPackages, progress, signal);
  const databaseImage = databaseImages(progress);
  if (flags.storage === 'local') return backupDemo(progress, databaseImage);
  return replicatedDemo({ root, dir: flags.dir ?? replicatedDir(root), progress, databaseImage, signal });
}

async function backupDemo(progress: Progress, databaseImage: DatabaseImage): Promise<boolean> {
  const startedMs = systemClock.monotonicMs();
  const source =
    flags.source === undefined ? findSourceFolder(root) : { path: flags.source, files: countFiles(flags.source) };
  const lateen = await startLateen({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(flags.dir === undefined ? {} : { dir: flags.dir }),
    progress,
    clock: systemClock,
    random: systemRandom,
    signal,
  });
  const scratch = await mkdtemp(join(tmpdir(), 'lateen-demo-'));
  try {
    const image = await databaseImage(lateen);
    const result = await journey(journeyOptions(lateen, source, image), portsFor(lateen, scratch));
    const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
    return printResult(result, { source, seconds, ownCluster: lateen.cluster !== undefined });
  } finally {
    await rm(scratch, { recursive: true, force: true });
    await lateen.close();
  }
}

function journeyOptions(lateen: RunningLateen, source: SourceFolder, databaseImage: string): BackupJourneyOptions {
  const suffix = systemRandom.suffix(5);
  return {
    veleroNamespace: lateen.veleroNamespace,
    namespace: `lateen-demo-${suffix}`,
    restoredNamespace: `lateen-demo-${suffix}-copy`,
    image: lateen.image,
    storageClass: flags.storageClass ?? lateen.storageClass,
    volumeSize: '4Gi',
    source,
    bigFileBytes: 500_000_000,
    databaseImage,
    databaseVolumeSize: '2Gi',
    password: systemRandom.suffix(20),
    scale: 20,
  };
}

async function journey(options: BackupJourneyOptions, ports: BackupJourneyPorts): Promise<BackupJourneyResult> {
  try {
    return await runBackupJourney(options, ports, signal);
  } catch (error) {
    // The error of the demo is more important than an error of the cleanup.
    await cleanUpShop(options, ports, AbortSignal.any([])).catch((problem: unknown) =>
      console.error(`lateen: the demo could not clean up: ${describeError(problem)}`),
    );
    throw error;
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(`lateen: ${describeError(error)}`);
  process.exitCode = signal.aborted ? 130 : 1;
}
