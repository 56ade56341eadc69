import {
  type ClusterInfo,
  clusterPackages,
  clusterParts,
  clusterUp,
  during,
  ensurePackages,
  ensureParts,
  loadImage,
  type Progress,
} from '@lateen/cluster';
import { renderManifests } from '@lateen/deploy';
import { buildImage, buildStorageImage } from '@lateen/image';
import { type Clock, type Logger, type Random, settleAll, silentLogger } from '@lateen/kernel';
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
  /** Also installs volumes that have replicas on several nodes. */
  replicated?: boolean;
  /** Uses the cluster of this kubeconfig, on which Lateen is installed, instead of starting one. */
  kubeconfig?: string;
  progress: Progress;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  log?: Logger;
}

const veleroNamespace = 'velero';

/**
 * Provides a running Lateen. On a cluster of this tool everything missing is built, started, loaded and applied; a second call takes
 * seconds. On an existing cluster nothing is changed: Lateen has to be installed there, with a default location that is Available.
 * On abort: rejects; everything that was started stays, and the next call continues from there.
 */
export async function startLateen(options: StartLateenOptions): Promise<RunningLateen> {
  const { kubeconfig, signal } = options;
  if (kubeconfig !== undefined) {
    const kubectl = await kubectlProgram(options);
    const client = await connect(kubeconfig, options);
    const found = await findExistingLateen(client, veleroNamespace, signal);
    return { ...found, kube: client, kubeconfig, kubectl, veleroNamespace, close: () => client.close() };
  }
  const [cluster, image] = await startCluster(options);
  const client = await connect(cluster.kubeconfig, options);
  await install(client, cluster, image.digest, options);
  const bucket = bucketOf(cluster);
  const kubectl = await kubectlProgram(options);
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

async function kubectlProgram({ progress, signal }: StartLateenOptions): Promise<string> {
  const { kubectl = 'kubectl' } = await ensureParts(['kubectl'], progress, { signal });
  return kubectl;
}

async function startCluster({
  dir,
  nodes,
  replicated = false,
  progress,
  signal,
}: StartLateenOptions): Promise<[ClusterInfo, { digest: string }]> {
  // The images are built with tools of the distribution.
  await ensurePackages(clusterPackages, progress, signal);
  // All parts in one plan, so that the progress line counts all of them. The images need disk and network more than processors.
  const parts = ensureParts(['kopia', ...clusterParts], progress, { signal });
  const kopia = parts.then((paths) => paths.kopia ?? '');
  const cluster = parts.then(() =>
    clusterUp({ progress, signal, ...(dir === undefined ? {} : { dir }), ...(nodes === undefined ? {} : { nodes }) }),
  );
  const image = during(progress, 'building the image', (step) =>
    buildImage({ kopia, progress: (text) => step.update(text), signal }),
  );
  const storageImage = !replicated
    ? Promise.resolve(undefined)
    : during(progress, 'building the image of replicated volumes', (step) =>
        buildStorageImage({ progress: (text) => step.update(text), signal }),
      );
  const [info, built, storage] = await settleAll([cluster, image, storageImage]);
  await during(progress, 'loading the image', () => loadImage(info, built.archive));
  if (storage !== undefined)
    await during(progress, 'loading the image of replicated volumes', () => loadImage(info, storage.archive));
  return [info, built];
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

/** Installs the CSI driver as the cluster's nodes need it, and everything else as a user does. */
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
