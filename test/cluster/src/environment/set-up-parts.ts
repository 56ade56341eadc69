import { clusterPackages, ensurePackages, ensureParts, streamProgress } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';

/** Once before all files of the engines and stores: what the distribution has, and what is built, is there when they begin. */
export default async function setUp(): Promise<void> {
  const progress = streamProgress(process.stderr, systemClock);
  await ensurePackages(clusterPackages, progress);
  const ofTests = ['fake-gcs-server', 'plugin-program', 'etcd', 'kube-apiserver', 'csi-snapshot-metadata'];
  await ensureParts(['kopia', 'versitygw', 'block-tools', ...ofTests], progress);
}
