import { clusterPackages, ensurePackages, ensureParts, streamProgress } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';

/** Runs once before all files of engines and stores: provides the programs of the distribution and builds the others. */
export default async function setUp(): Promise<void> {
  const progress = streamProgress(process.stderr, systemClock);
  await ensurePackages(clusterPackages, progress);
  const ofTests = ['fake-gcs-server', 'plugin-program', 'etcd', 'kube-apiserver', 'csi-snapshot-metadata'];
  await ensureParts(['kopia', 'versitygw', 'block-tools', ...ofTests], progress);
}
