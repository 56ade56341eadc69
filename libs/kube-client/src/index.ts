export { parseExact, stringify } from '@lateen/kube';
export {
  type KubeClient,
  type KubeClientLimits,
  type KubeClientOptions,
  kubeClient,
  type Priority,
} from './kube-client.ts';
export {
  type ClusterConfig,
  kubeContextNames,
  type LoadKubeConfigOptions,
  loadKubeConfig,
} from './load-kube-config.ts';
export type { RawRequest } from './raw-request.ts';
