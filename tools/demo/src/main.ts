import { join } from 'node:path';
import { streamProgress } from '@lateen/cluster';
import { describeError } from '@lateen/errors';
import { type RunningLateen, startLateen } from '@lateen/installation';
import { systemClock, systemRandom } from '@lateen/kernel';
import { Command } from 'commander';
import { podName } from './cluster/workload.ts';
import { countFiles, findSourceFolder } from './content/source-folder.ts';
import { cleanUp, type JourneyOptions, type JourneyPorts, runJourney } from './journey.ts';
import { lateenCli } from './lateen-cli.ts';
import { podShell } from './pod-shell.ts';
import { printResult } from './report/print-result.ts';

interface Flags {
  kubeconfig?: string;
  existing?: boolean;
  dir?: string;
  source?: string;
  storageClass?: string;
}

const command = new Command('npm run demo --')
  .description('Show the main job on real input: a volume travels to object storage and back.')
  .option('--kubeconfig <file>', 'use the cluster of this kubeconfig, on which Lateen is installed')
  .option('--existing', 'the same with the cluster that KUBECONFIG names')
  .option('--dir <folder>', 'folder of the cluster that the demo starts (default: .lateen/cluster)')
  .option('--source <folder>', 'the tree of files to move (default: a distribution of Go or Node with 10,000 files)')
  .option('--storage-class <name>', 'storage class of the volumes')
  .addHelpText(
    'after',
    '\nExamples:\n  npm run demo\n  npm run demo -- --source /usr/share\n  npm run demo -- --kubeconfig ~/.kube/config',
  )
  .showHelpAfterError()
  // 2 for a wrong command line, as everywhere in this project.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const flags = command.parse().opts<Flags>();
const kubeconfig = flags.kubeconfig ?? (flags.existing ? process.env.KUBECONFIG : undefined);
if (flags.existing && kubeconfig === undefined)
  command.error('--existing uses the cluster that KUBECONFIG names, and KUBECONFIG is not set');

const root = join(import.meta.dirname, '..', '..', '..');
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));
const { signal } = interrupted;

function portsFor(lateen: RunningLateen): JourneyPorts {
  return {
    kube: lateen.kube,
    clock: systemClock,
    lateen: lateenCli(root, lateen.kubeconfig, signal),
    shell: (namespace) => podShell({ ...lateen, namespace, pod: podName, signal }),
    bucket: lateen.bucket,
    say: (text) => console.log(`\n== ${text}`),
  };
}

async function main(): Promise<boolean> {
  const startedMs = systemClock.monotonicMs();
  const source =
    flags.source === undefined ? findSourceFolder(root) : { path: flags.source, files: countFiles(flags.source) };
  const lateen = await startLateen({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(flags.dir === undefined ? {} : { dir: flags.dir }),
    progress: streamProgress(process.stdout, systemClock),
    clock: systemClock,
    random: systemRandom,
    signal,
  });
  const suffix = systemRandom.suffix(5);
  const options: JourneyOptions = {
    veleroNamespace: lateen.veleroNamespace,
    namespace: `lateen-demo-${suffix}`,
    restoredNamespace: `lateen-demo-${suffix}-restored`,
    image: lateen.image,
    storageClass: flags.storageClass ?? lateen.storageClass,
    volumeSize: '4Gi',
    source,
    bigFileBytes: 500_000_000,
  };
  const ports = portsFor(lateen);
  try {
    const result = await runJourney(options, ports, signal);
    const seconds = (systemClock.monotonicMs() - startedMs) / 1000;
    return printResult(result, { source, seconds, ownCluster: lateen.cluster !== undefined });
  } catch (error) {
    // What went wrong matters more than what could not be cleaned up after it.
    await cleanUp(options, ports, AbortSignal.any([])).catch((problem: unknown) =>
      console.error(`lateen: the demo could not clean up: ${describeError(problem)}`),
    );
    throw error;
  } finally {
    await lateen.close();
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(`lateen: ${describeError(error)}`);
  process.exitCode = signal.aborted ? 130 : 1;
}
