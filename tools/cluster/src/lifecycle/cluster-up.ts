import { mkdir } from 'node:fs/promises';
import { withFileLock } from '@lateen/image';
import { type Clock, settleAll, systemClock } from '@lateen/kernel';
import { clusterPackages, ensurePackages } from '../host/packages.ts';
import { requireDisk, requireRoot } from '../host/requirements.ts';
import { pauseImage, sidecarsImage } from '../images/cluster-images.ts';
import { ensureImage } from '../images/import-image.ts';
import { ensureParts } from '../parts/ensure-parts.ts';
import { clusterParts } from '../parts/part-table.ts';
import { during, type Progress, silentProgress } from '../progress/progress.ts';
import { type ClusterInfo, clusterInfo } from './cluster-info.ts';
import { clusterLayout } from './cluster-layout.ts';
import { decideState } from './cluster-state.ts';
import { writeControlPlaneFiles } from './control-plane-files.ts';
import { defaultClusterDir } from './default-dir.ts';
import { ensureBucket } from './ensure-bucket.ts';
import { linkPrograms } from './link-programs.ts';
import { type Context, startControllers, startControlPlaneMachine, startServers } from './start-control-plane.ts';
import { startNode, startNodeMachine } from './start-node.ts';
import { startSnapshots } from './start-snapshots.ts';

export interface ClusterUpOptions {
  /** The cluster's folder, which identifies it. Absent: `.lateen/cluster` of this checkout. */
  dir?: string;
  /** Absent: the current number, else one. */
  nodes?: number;
  progress?: Progress;
  signal?: AbortSignal;
  clock?: Clock;
}

/**
 * Starts a cluster, or its missing parts: idempotent, and a repair after any process died, after an interrupted `up` and after a reboot.
 * Resolves when every node is Ready and the bucket exists. On abort everything that runs stays; a later `up` completes it and `clusterDown`
 * removes it.
 * @throws NOT_ROOT, PACKAGES_MISSING, DISK_FULL, what ensureParts throws, MACHINE_NOT_STARTED, API_SERVER_NOT_READY, NODE_NOT_READY and
 * others; each names the log to read
 */
export async function clusterUp(options: ClusterUpOptions = {}): Promise<ClusterInfo> {
  const { signal, clock = systemClock, progress = silentProgress } = options;
  requireRoot();
  const layout = clusterLayout(options.dir ?? defaultClusterDir);
  await requireDisk(layout.dir);
  await ensurePackages(clusterPackages, progress, signal);
  const binaries = await ensureParts(clusterParts, progress, { signal });
  const onWait = (): void => progress.note(`waiting for another command on the cluster in ${layout.dir}`);
  return withFileLock(layout.lockFile, { onWait, signal }, async () => {
    await mkdir(layout.dir, { recursive: true });
    const state = await decideState(layout, options.nodes);
    await bringUp({ layout, state, clock, signal }, binaries, progress);
    return clusterInfo(layout, state);
  });
}

async function bringUp(
  context: Context,
  binaries: Readonly<Record<string, string>>,
  progress: Progress,
): Promise<void> {
  const { layout, state, clock, signal } = context;
  const [pause, sidecars, files] = await during(progress, 'certificates, programs and images', async () => {
    await linkPrograms(layout.binDir, binaries);
    return Promise.all([
      pauseImage(binaries, signal),
      sidecarsImage(binaries, signal),
      writeControlPlaneFiles(layout, state, clock.now()),
    ]);
  });
  const controlPlane = await during(progress, 'control plane machine', () => startControlPlaneMachine(context));

  const serversReady = during(progress, 'etcd, kube-apiserver and S3 server', () =>
    startServers(controlPlane, context, files.access, files.servingCertificate),
  );
  const nodesStarted = Array.from({ length: state.nodes }, (_, at) =>
    during(progress, `machine and containerd of ${layout.node(at + 1).name}`, () =>
      startNodeMachine(context, at + 1, files.certificates, pause),
    ),
  );
  const s3 = clusterInfo(layout, state).s3;
  const controllersStarted = serversReady.then(() => startControllers(controlPlane, clock));
  const rest = [
    controllersStarted,
    serversReady.then(() => during(progress, 'bucket', () => ensureBucket(s3, clock, signal))),
    serversReady.then(() =>
      during(progress, 'snapshot CRDs and controller', () =>
        startSnapshots(controlPlane, files.access, { clock, signal }),
      ),
    ),
    // The start of a node does not need the sidecars, so they are imported in parallel.
    ...nodesStarted.map(async (started) => {
      const { machine } = await started;
      await during(progress, `CSI sidecars image on ${machine.layout.name}`, () =>
        ensureImage(machine, sidecars, signal),
      );
    }),
    ...nodesStarted.map(async (started) => {
      await serversReady;
      const node = await started;
      await during(progress, `${node.machine.layout.name} is Ready`, () => startNode(node, context, files.access));
    }),
  ];
  await settleAll(rest);
}
