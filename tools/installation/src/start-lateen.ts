import {
  type ClusterInfo,
  clusterPackages,
  clusterUp,
  during,
  ensurePackages,
  ensureParts,
  loadImage,
  type Progress,
} from '@lateen/cluster';
import { renderManifests } from '@lateen/deploy';
import { buildImage, buildStorageImage } from '@lateen/image';
import { type Clock, type Logger, type Random, silentLogger } from '@lateen/kernel';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { applyManifests } from '@lateen/manifests';
import { s3Store } from '@lateen/object-store-s3';
import { findExistingLateen } from './find-existing-lateen.ts';
import { installWithCli } from './install-with-cli.ts';
import type { RunningLateen } from './running-lateen.ts';

export interface StartLateenOptions {
  /** The cluster's folder; default: the cluster tool's own. */
  dir?: string;
  nodes?: number;
  /** With volumes that have replicas on several nodes beside those of one node. */
  replicated?: boolean;
  /** Use the cluster of this kubeconfig, on which Lateen is installed, instead of one of our own. */
  kubeconfig?: string;
  progress: Progress;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  log?: Logger;
}

const veleroNamespace = 'velero';

/**
 * A Lateen to work with. On a cluster of our own everything is built, started, loaded and applied as far as it is not
 * there yet; a second call takes seconds. On an existing cluster nothing is changed: Lateen has to be installed there, with
 * a default location that is Available.
 * On abort: rejects; what has been started stays and the next call goes on from there.
 */
export async function startLateen(options: StartLateenOptions): Promise<RunningLateen> {
  const { kubeconfig, progress, signal } = options;
  const { kubectl = 'kubectl' } = await ensureParts(['kubectl'], progress, { signal });
  if (kubeconfig !== undefined) {
    const client = await connect(kubeconfig, options);
    const found = await findExistingLateen(client, veleroNamespace, signal);
    return { ...found, kube: client, kubeconfig, kubectl, veleroNamespace, close: () => client.close() };
  }
  const [cluster, image] = await startCluster(options);
  const client = await connect(cluster.kubeconfig, options);
  await install(client, cluster, image.digest, options);
  const bucket = bucketOf(cluster);
  return {
    kube: client,
    kubeconfig: cluster.kubeconfig,
    kubectl,
    veleroNamespace,
    image: 'localhost/lateen:dev',
    storageClass: options.replicated === true ? 'longhorn' : 'lateen',
    cluster,
    bucket,
    close: async () => {
      await Promise.all([client.close(), bucket.close()]);
    },
  };
}

async function startCluster({
  dir,
  nodes,
  replicated = false,
  progress,
  signal,
}: StartLateenOptions): Promise<[ClusterInfo, { digest: string }]> {
  const { kopia = '' } = await ensureParts(['kopia'], progress, { signal });
  // The image is made with the distribution's tools, so these come before both.
  await ensurePackages(clusterPackages, progress, signal);
  // Both keep the disk busy rather than the processors, so they go well together.
  const [cluster, image] = await Promise.all([
    clusterUp({ progress, signal, ...(dir === undefined ? {} : { dir }), ...(nodes === undefined ? {} : { nodes }) }),
    during(progress, 'building the image', (step) =>
      buildImage({ kopia, progress: (text) => step.update(text), signal }),
    ),
  ]);
  await during(progress, 'loading the image', () => loadImage(cluster, image.archive));
  if (replicated) {
    const { archive } = await during(progress, 'building the image of replicated volumes', (step) =>
      buildStorageImage({ progress: (text) => step.update(text), signal }),
    );
    await during(progress, 'loading the image of replicated volumes', () => loadImage(cluster, archive));
  }
  return [cluster, image];
}

async function connect(path: string, { clock, random, log = silentLogger }: StartLateenOptions): Promise<KubeClient> {
  return kubeClient({
    config: await loadKubeConfig({ path, env: {} }),
    clock,
    random,
    log,
    userAgent: 'lateen-installation',
  });
}

/** The CSI driver as the cluster's nodes need it, everything else as a user installs it. */
async function install(
  kube: KubeClient,
  cluster: ClusterInfo,
  imageDigest: string,
  { replicated = false, progress, clock, signal }: StartLateenOptions,
): Promise<void> {
  const driver = await renderManifests({ parts: ['snapshot-metadata', 'csi'], imageDigest, nodes: cluster.nodes });
  await during(progress, 'installing the CSI driver', (step) =>
    applyManifests(kube, driver, {
      clock,
      signal,
      onProgress: (event) => step.update(`${event.kind} ${event.object}`),
    }),
  );
  await during(progress, 'lateen install', (step) =>
    installWithCli(cluster, {
      namespace: veleroNamespace,
      imageDigest,
      replicated,
      onLine: (line) => step.update(line),
      signal,
    }),
  );
}

function bucketOf({ s3 }: ClusterInfo) {
  const url = new URL(s3.endpointForHost);
  return s3Store({
    endpoint: url.host,
    tls: url.protocol === 'https:',
    verifyTls: true,
    region: s3.region,
    bucket: s3.bucket,
    pathStyle: true,
    credentials: { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
  });
}
