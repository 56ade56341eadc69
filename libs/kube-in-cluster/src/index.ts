export { type InClusterConfig, inClusterConfig } from '@lateen/kube';
export {
  type KubeInCluster,
  type KubeInClusterLimits,
  type KubeInClusterOptions,
  kubeInCluster,
} from './kube-in-cluster.ts';
export type { ClientCertificateConfig } from './server-identity.ts';
