import type { KubeApi } from '@lateen/kube';
import type { ListAccountKey } from './azure/azure-account-key.ts';
import type { OpenStore } from './open-store.ts';

/** What it takes to reach into a location: its Secrets, keys that Azure has for the asking, an object store. */
export interface ReachPorts {
  kube: KubeApi;
  listAccountKey: ListAccountKey;
  openStore: OpenStore;
}
