import type { ClusterInfo } from '@lateen/cluster';
import type { RunningLateen } from '@lateen/installation';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { inject } from 'vitest';

/** The serializable part of a running Lateen, passed from the set-up process to the tests. */
type ProvidedLateen = Pick<RunningLateen, 'kubeconfig' | 'kubectl' | 'veleroNamespace' | 'image' | 'storageClass'> & {
  cluster: ClusterInfo | undefined;
};

declare module 'vitest' {
  export interface ProvidedContext {
    lateen: ProvidedLateen;
  }
}

export interface LateenUnderTest extends ProvidedLateen {
  kube: KubeClient;
}

/** The Lateen that set-up.ts has started, with a client for this process. Close `kube` at the end. */
export async function lateenUnderTest(): Promise<LateenUnderTest> {
  const provided = inject('lateen');
  const config = await loadKubeConfig({ path: provided.kubeconfig, env: {} });
  return { ...provided, kube: kubeClient({ config, clock: systemClock, random: systemRandom, log: silentLogger }) };
}
